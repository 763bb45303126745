// Unpacks the data of a page.

/** Unpack JSON that is compressed by gzip and encoded in base64. */
export async function unpack<T>(text: string): Promise<T> {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  for (let i = 0; i + 2 < raw.length; i++) {
    // a lone surrogate becomes one U+FFFD, not three: positions in replies stay right
    if (raw[i] === 0xed && raw[i + 1] >= 0xa0) raw.set([0xef, 0xbf, 0xbd], i);
  }
  return JSON.parse(new TextDecoder().decode(raw));
}
