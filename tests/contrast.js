// What axe does not look at: contrast in charts. Words must stand out 4.5 times from what is drawn below them, lines and
// markers 3 times. Returns those that do not, a line each.
() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, share, under) => under.map((v, i) => top[i] * share + v * (1 - share));
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => sum + k * (c[i] <= 10 ? c[i] / 3294.6 : ((c[i] / 255 + 0.055) / 1.055) ** 2.4), 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = (x) => { const c = rgba(getComputedStyle(x).backgroundColor); return c[3] === 1 ? c.slice(0, 3) : x.parentElement ? ground(x.parentElement) : [255, 255, 255]; };
  const opacity = (x, top) => (x === top ? 1 : Number(getComputedStyle(x).opacity) * opacity(x.parentElement, top));
  const faint = new Set();
  for (const svg of document.querySelectorAll("#main svg")) {
    if (svg.parentElement.closest("svg") || !svg.getClientRects().length) continue;
    const top = svg.parentElement, base = ground(top), tiles = [...svg.querySelectorAll("rect:not(.tick)")].map((x) => [x, x.getBoundingClientRect()]);
    for (const x of svg.querySelectorAll("text, tspan, .mark, .dot, .path, .barchosen, .bargold, .tick")) {
      const style = getComputedStyle(x), words = /^t(ext|span)$/.test(x.localName), share = opacity(x, top);
      if (!share || x.closest(".quiet, .dim") || (words && !x.textContent.trim())) continue;
      const at = x.getBoundingClientRect(), [cx, cy] = [(at.left + at.right) / 2, (at.top + at.bottom) / 2];
      let under = base;
      for (const [tile, b] of tiles) {
        if (tile === x || !(tile.compareDocumentPosition(x) & 4) || cx < b.left || cx > b.right || cy < b.top || cy > b.bottom) continue;
        const fill = getComputedStyle(tile).fill, c = fill === "none" ? [0, 0, 0, 0] : rgba(fill);
        under = over(c, c[3] * opacity(tile, top), under);
      }
      const inks = (words ? [style.fill] : [style.fill, style.stroke]).filter((c) => c !== "none").map(rgba).filter((c) => c[3]);
      const best = Math.max(...inks.map((c) => ratio(over(c, c[3] * share, under), under)));
      if (inks.length && best < (words ? 4.5 : 3)) faint.add(`${x.localName}.${x.getAttribute("class")} in ${svg.getAttribute("class")}: ${best.toFixed(2)}`);
    }
  }
  return [...faint];
}
