"""Stage 4, rules: a table of patterns of the tape before and behind a mention, each with a verdict. The first match counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from typing import NamedTuple

from evalsuite.parse.tape import Tape

# A rule's verdict on its mention: the answer by name (答案, 故选), chosen by explicit words, alone on a line, at the head of the
# reply, by a statement or in a question; rejected; or only named.
ANSWER, PICK, LINE, HEAD, STATE, ASK, NOT, NAME = "answer", "pick", "line", "head", "state", "ask", "not", "name"
# A rule's verdict on all options: none is right, all are, all but these; or the choice before is taken back.
NONE, ALL, BUT, CANCEL = "none", "all", "but", "cancel"
# Verdict -> its strength: a stronger one outranks a weaker one in the same reply.
STRENGTH = {ANSWER: 4, PICK: 3, NOT: 3, NONE: 3, CANCEL: 3, LINE: 2, HEAD: 2, STATE: 1, ASK: 1, ALL: 1}


class Rule(NamedTuple):
    """A row of the table. It fires at a token of `focus` if both patterns match the tape around it."""

    name: str
    verdict: str
    focus: str  # the tokens at which it may fire
    # Regular expression that matches up to the token. It is searched for: `re` is fast where it begins with a character or a set.
    before: str
    behind: str  # regular expression that matches from behind the token
    example: str  # a labelled reply that needs it, or the beginning of one


# Parts of patterns. Words between a cue and its mention are bounded; marks between them are not.
Z = r"[:,()\[\]|b^]*"  # marks that end neither a sentence nor a line
G1 = rf"{Z}'?{Z}"  # at most one other character
G4 = rf"{Z}(?:['_][aAB]?)?{Z}"  # at most one word
G14 = rf"{Z}(?:['_~ABahpso]{Z}){{0,2}}"  # at most two words
ZN = r"[:(\[\]|b)^]*"  # Z without a comma
Y = r"[^./MTQGWm?@]*?"  # within the sentence, no other mention
YY = r"[^./]*?"  # within the sentence, across mentions
V = r"[^./MTQGWm?@,RO:]{0,6}?"  # within the clause
PLAIN, ANY = "MTQGW", "MTQGWm"
LABEL = "MQG"
TEXT = "TW"

# fmt: off
RULES = [
    # --- of all options
    Rule("no-answer", NONE, "0N", r"\[", r"[^./MTQGWm\]]*\]", "A与C都说得通，C更合理一些，但题干不足以区分。\n\n\\boxed{无法判断}"),
    Rule("none-of-them", NONE, "0", r"[!./][^OEIH./]*(?<![^S=]:)", r"[^OEIH./]*", "看起来是恐怖片，但对话里没有人害怕。以上都不对。"),
    Rule("no-answer", NONE, "S", r"(?<![MTQGW])(?<![MTQGW],)", r":[^./MTQGWm]*[-0z][^./MTQGWm]*(?:[./]|$)|=n[i_~]+(?:[./]|$)", "由条件得 $x=2$，应选A。代入检验，两边不等。<eoe>\n…"),
    Rule("all-of-them", ALL, "B", r"[!./,][FfADa:'_B]*[sp]?", r"[=wyAa_']*(?:[+w]|y(?![~#_']))|=[^./,MTQGWm-]*[+]", "全部都对"),
    Rule("taken-back", CANCEL, "-", r"(?:!|(?<!R)[./])", r"[,./]|$", "b\n\n不对，对话里没有人害怕。"),
    # --- except
    Rule("ranking", PICK, ANY, rf"P(?:[^./MTQGW]{{0,8}}[:b]{Z}|{Z}['_]?{Z}=?{Z})", r"", "排序：恐怖片、喜剧片、科幻片"),
    Rule("ranking", PICK, PLAIN, r"!b[(]*", r"[^/MTQGW]*(?:/b[(]*[MTQ][^/MTQGW]*)+/+[(]?[^/MTQGW(]*P", "1. 机场\n2. 饭店\n3. 图书馆\n4. 医院\n（按可能性从高到低）"),
    Rule("kept", NAME, ANY, r"", r"p?[NXn]['_]?x", "所以(a)不能排除。"),
    Rule("kept", NAME, ANY, rf"[NX]x['_~]?=?{G14}", r"", "不能排除是(b)。"),
    Rule("all-but-it", PICK, PLAIN, rf"E{G4}", rf"{Z}['_]?{Z}(?:O{Y}[-0xzX]|O{Y}N{Y}[+wyC]|N{Y}O|B{Y}(?:[-0x]|N{Y}[+wyC])|z|B?=?[-0]|{V}[-0xz])", "除b以外都不符合"),
    # --- rejected by the words behind
    Rule("marked-wrong", NOT, "MTQ", r"[!/](?:[-+][MTQ])*-", r"[-+/]|$", "👎A 👎B 👍C 👎D"),
    Rule("marked-right", PICK, "MTQ", r"[!/](?:[-+][MTQ])*[+]", r"[-+/]|$", "👎A 👎B 👍C 👎D"),
    Rule("asked-denied", NOT, ANY, r"", r"[^./MTQGWm?@,]{0,3}\?+['_]?a?(?:[XN]'?|-|N[+wy])(?:[,./]|$)", "是恐怖片吗？不是。"),
    Rule("wrong", NOT, ANY, r"", rf"{V}(?:[NXn]['_]?(?:[+wy=S]|C(?!{ZN}[MTQGW]))|(?<![NXn])(?<![NXn]')(?:[-0x]|z)|U)|\.-(?:[MQ]|$)", "b可以排除"),
    Rule("item-wrong", NOT, ANY, r"[!/^][b(k=]*", r"(?![+]\.)[^/MTQGWRO]*[,.:_~'](?:N['_]?[+wyC]|[-xXz])[.)\]]*(?:/|$)|[^/MTQGW]*[|]Z[|]?(?:/|$)", "(a)近视：走近了看得清。\n(b)远视：和对话相反，不能选。\n(c)散光：没有重影，不能选。"),
    Rule("wrong", NOT, ANY, r"", r"a?[Xn](?:[./,]|$)|[^./MTQGWm]*,['_]?x[./]|[^./MTQGWm]*[,:][Ff]?Z(?:[./,]|$)", "(a) is on the moon, so no. (b) is on the…"),
    Rule("item-wrong", NOT, ANY, r"[!/^,][b(k=]*", r"[.,]?[_~']?:['_]?(?:N['_]?[+wy]|[-xXz])(?:[,./(MQ]|$)|:?Z[.,]?(?:/|$)|:N['_]?[.,]*(?:/|$)", "(a) 科幻片：错误，没有未来世界。\n(b) 恐怖片：错误，没有人害怕。\n(c) 喜剧片：大家一直在笑。"),
    Rule("wrong-next", NOT, ANY, r"", rf"{V}[,(]['_]?(?:[XNB=Aa]*(?<![NX])[-0x]|[XN][=B]?[+wy]|BNC|NC)(?![:='_~]*[MTQGWm])", "有人会说，那就选“在医院”，这同样站不住脚：对话里没有医生。因此无法作答。"),
    # --- rejected by the words before
    Rule("no-less", PICK, PLAIN, rf"n{Z}", r"f(?:[+w]|['_])(?:[,./]|$)", "c没有b那么合适。"),
    Rule("not-be", NOT, ANY, rf"[-XNn](?:'|(?<=-)_|(?<=N)'?[+w]['_]?|(?<=[XNn])'?=')?={ZN}['_~]?{ZN}", r"", "错误的是a。"),
    Rule("not", NOT, ANY, rf"[-XNxn](?:(?<=[Xxn]){ZN}['_~]?{ZN}|(?<=-)(?:['_]?[Ss]{G4}|{ZN}[~p]?'?:{ZN})|(?<=N)(?:['_]?[Co]{ZN}['_~]?{ZN})?|(?<=N)['_]?[+]{ZN}|(?<=n)[+]{ZN})", r"", "排除a、b"),
    # --- lists and ranks
    Rule("answer", ANSWER, "MTQ", r"s:[(\[]*", r"\.?(?:/|$)", "从a、b、c等候选领域中选择下面两个短语之间的关系所属的领域：c"),
    Rule("listed", NAME, ANY, rf"L(?:{ZN}(?:['_~]|=)?{ZN}|[^./MTQGW]*:{Z})", r"", "{\n  \"analysis\": \"B想直接拿钢丝球刮锅，是因为B想图省事，不想慢…"),
    Rule("listed", NAME, "GW", rf"y'?S['_]?=?{Z}", r"", "可能的答案有 B 和 C，但从登机口看，C 的可能性远大于 B。"),
    Rule("listed", NAME, PLAIN, r"y'?S:\^[b(^]*", r"", "There are two possible answers:\n\n1. **YES, he waters it himself.** Then the can…"),
    Rule("listed", NAME, "GW", r"\(", r"\)", "对话中的[MASK]处应填入的选项（(1)滑雪 (2)冲浪 (3)露营）：(3)"),
    Rule("among", NAME, "GW", rf"i{Z}['_~]?{Z}", r"", "答案应该在(a)和(c)之间。对话很严肃，所以(c)可以排除。"),
    Rule("second", NAME, ANY, r"(?<!i)D(?:[^./K]*|:\^(?:b[^/]*/)*b[(]*)", r"(?!a?[+w])", "最可能的是c，然后是a，最后是b"),
    Rule("second", NAME, ANY, r"", rf"{V}D", "b最有可能，a次之"),
    # --- in doubt
    Rule("written-out", PICK, "m", r"[!./,][Ff+'_~]*e['_p]*[=:]+['_~#,:]*", r"", "完整的句子是：“周末一起去看喜剧片吧，开心一下”。"),
    Rule("line", LINE, PLAIN, r"[!/][b,.:(|@]*(?:'[|]?)?", r"[)\],.|]*(?:/|$)", "A: b"),
    Rule("spoken", NAME, TEXT, rf"@{Y}", r"", "A: 周末看什么？\nB: 我觉得是恐怖片。\nA: 那就看恐怖片吧。\nB: 我还想看喜剧片。"),
    Rule("asked", ASK, PLAIN, r"", r"(?:[^./MTQGWm@,]{0,6}|'?=C?[MTQGW][^./MTQGWm@,]{0,4})\?", "是a还是b呢？"),
    Rule("fits-if", STATE, PLAIN, rf"I['_]?C{Z}", r",['_]?[+w]", "若填“科幻片”，与“笑得肚子疼”不符；若填“恐怖片”，同样不符；若填“爱情片”，勉强；若填“喜剧片”，完全通顺。"),
    Rule("supposed", NAME, PLAIN, r"", r"f(?!['_~]*,?['_~]*[+w])", "不好说。选(a)的话解释不了脚疼，选(c)的话解释不了迟到。"),
    Rule("whether", NAME, ANY, r"N['_~s]*[MTQ]['_]?=['_]?", r"", "本题缺少案情描述，无法判断应承担A行政处罚还是C刑事责任。"),
    Rule("maybe", NAME, PLAIN, r"y=", r",ay=[^./MTQGWm]*(?:[./]|$)", "可能是老师本人，也可能是其他未提及的女性。"),
    Rule("either", NAME, TEXT, r"=B:?[/^]*b?['_]?(?:TA['_]?)?", r"", "The pronoun could refer to either the driver or the tailor, as the sentence does not specify which."),
    Rule("supposed", NAME, PLAIN, r"(?:I[^./,MTQGWm?@]*|I(?!['_~]?[CP])[^./?@KVF]*|(?<![MTQGW])H[^./MTQGWm?@FfKSV]*)", r"", "(c)\n如果对话里提到了地点，那就应该选(e)。"),
    # --- called right
    Rule("compared", NAME, PLAIN, rf"[MTQ]'?c{Z}", r"", "选项b比选项f更加合适，因为“A家不粘锅的涂层掉了”发生在“A买了一口铸铁锅”之前。"),
    Rule("right", PICK, PLAIN, r"", r"'?c[MTQ]['_]?[+w]", "选项b比选项f更加合适，因为“A家不粘锅的涂层掉了”发生在“A买了一口铸铁锅”之前。"),
    Rule("seeming", NAME, PLAIN, r"", r"p?H['_=a]{0,2}[+wyC]", "应选B。A看似合理，但没有合适的码。"),
    Rule("right", PICK, PLAIN, r"", rf"{V}(?:[+](?!_=)|=['_]?S)|\.[+](?:[MQ]|$)", "b✅"),
    Rule("not-this", NOT, PLAIN, r"", r"[^/MTQGW]*[NX]['_]?1", "您说的恐怖片其实不合对话：没有人害怕，所以不能选它。"),
    Rule("this-one", PICK, PLAIN, r"", r"[^/MTQGW]*1", "(a)科幻片：没有未来世界。\n(b)恐怖片：吓得睡不着，所以选它。"),
    Rule("only", PICK, PLAIN, rf"[lu]{Z}", rf"{V}[w+]", "科幻片也可以，不过只有(b)是符合上下文的。"),
    # --- chosen
    Rule("put-in", PICK, PLAIN, r"J", rf"{V}[C=]", "将恐怖片填入空格处，句子最通顺。"),
    Rule("answer-is", ANSWER, PLAIN, rf"(?:[SC]{Y}|[+][^./MTQGWm?@,]*?)[=l]{Z}(?:['_~s]{Z}){{0,3}}", r"", "答案是a。答案是b。"),
    Rule("category-is", PICK, PLAIN, rf"(?<![MTQ])[sp]{Y}[=l]{Z}(?:['_~s]{Z}){{0,3}}", r"", "答案是a。答案是b。"),
    Rule("is", PICK, LABEL, rf"[!./,K]['_]?={Z}", r"[,./()R]|$", "答案是b，不，是c。"),
    Rule("concluded", PICK, PLAIN, rf"(?:[Ff]{Z}['_]?|K{Z}|K:['_]|V['_]?[o=])={G1}", r"", "是科幻片。哦不，是恐怖片。"),
    Rule("fits", PICK, PLAIN, rf"[+w](?:['_]?s{Z}|(?<=[+])(?<![MTQGW].)(?<![MTQGW]['_].){G1})", r"(?!:[-+])", "✅b"),
    Rule("answer", ANSWER, PLAIN, rf"S{Z}[:\[]{Z}['_]?{Z}", r"", "[正确答案]C<eoa>\n\n张某购买房屋一套，下列哪项…"),
    Rule("answer", PICK, PLAIN, rf"(?:[!/,.:b|(][sp]{Z}[:|]|[!/]s,){Z}", r"", "{\"label\": \"b\", \"explanation\": \"…\"}"),
    Rule("answer", PICK, LABEL, rf"S{Z}['_]?{Z}", r"", "答案b"),
    Rule("answer", PICK, TEXT, rf"S{G1}|S(?:p':|'\.)['_]?", r"", "答：是"),
    Rule("choose", ANSWER, PLAIN, rf"[FfK]{YY}(?:C(?!,)|(?<![MTQGWB=])C){G14}", r"", "A项正确，B项正确，C项错误，D项正确，故选C。"),
    Rule("choose", PICK, LABEL, rf"(?:C{ZN}|(?<![MTQGWB=])C{Z})(?:['_~ABahpso]{ZN}){{0,2}}", r"", "选乙"),
    Rule("choose", PICK, TEXT, rf"C{G4}", r"", "应该填C罗"),
    Rule("boxed", ANSWER, PLAIN, rf"\[{Z}['_]?{Z}", r"", "$\\text{washed away} \\xrightarrow{\\text{i…"),
    Rule("causal", NAME, TEXT, rf"R[^./MTQGWm]*,F{Z}", r"['_~#]", "指的是老师。因为她很生气，所以建筑工人盯着她看。"),
    Rule("causal", NAME, TEXT, rf"F{Z}", r"#", "They weigh the same, so the iron ball will reach the foot of the slope at the same time."),
    Rule("conclusion", PICK, PLAIN, rf"(?:[FfK]|Kf'){Z}", r"", "a\n\n更正：b"),
    Rule("but", PICK, PLAIN, rf"[XxnN]['_~=]*[MTQGW],?V{Z}=?{Z}", r"", "It is not (a) but (b)."),
    Rule("left", PICK, PLAIN, rf"l{G4}", r"", "1. 短语1是“羽绒服被拧了”，短语2是“羽绒会结成团”。\n2. 拧羽绒服会造成…"),
    # --- alone
    Rule("line", LINE, PLAIN, r"\^[b,.:(|\[@^]*'?", r"[)\],.|]*(?:/|$)", "首先展开辩论：\n1. 站得太靠里\n2. 躲在亭子正当中\n3. 站得太靠边\n\n反方…"),
    Rule("head", HEAD, PLAIN, r"![b,.:(|\[]*", r"[,.(;)|nxR]", "b而非a"),
    Rule("head", HEAD, "MQ", r"(?:!|(?<!R)(?<!R:)\^)[b,.:(|\[]*", r":(?![+][MQ])", "E\n空间：台阶是摔倒的位置。"),
    Rule("head", HEAD, "M", r"![b,.:(|\[]*", r"['_~]{1,2}(?:[/.]|$)", "b 惊险刺激的电影"),
    # --- stated
    Rule("after-concession", STATE, TEXT, rf"H[^./]*,V[K'_]*{G4}", r"[./]|$", "虽然看起来高兴，但其实很难过。"),
    Rule("both", STATE, "GW", rf"B{Z}", r"", "Both (2) 原因 and (1) 前提 apply here: the t…"),
    Rule("weak", STATE, PLAIN, r"", rf"{V}w|['_aB=]*y(?![~#_])", "1和2都可以"),
    Rule("item-right", STATE, PLAIN, r"[!/^,][|b(k=]*", r"[.,]?['_]?:['_]?[+w]|,w[.,]|[:|]*(?:Y|[:|]=)(?:[.,|(/^]|$)|[^/MTQGW]*(?:[,.:_~'](?:[+wy]\.?[+]?|[+][_~'])(?:\.?/|$)|[|][=Y][|]?(?:/|$))", "1) 是：×\n2) 是一个：√\n3) 有：×\n4) 包括类型：×\n5) 由…制成：×\n6) 是…的一部分：×"),
    Rule("item-right", STATE, "MQ", r"", r":[+](?:[MQ]|$)|Y[MQ]", "A：❌ B：✅ C：❌"),
    Rule("rather", STATE, PLAIN, r"", r",?(?:VX|n['_~=]*[MTQGW])", "根据关键词“登机口”，可以推断对话发生在机场，而不是图书馆、医院或饭店。"),
    Rule("only", PICK, TEXT, rf"u{Z}", r"", "综合四个选项来看，只有“在机场”能同时解释登机口和行李托运。"),
    Rule("statement", STATE, LABEL, rf"[=u]{G4}", r"", "我认为是b"),
    Rule("statement", STATE, "MQT", r"R", r"[./]|,F|$", "(b)只是量体温，与假肢没有直接联系。\n\n所以，最直接的原因是(a)。"),
    Rule("statement", STATE, TEXT, r"R", r"'[N'_~]*(?:[./]|,(?!F))", "他是因为路上堵车才没来的，不是忘了。"),
    Rule("statement", STATE, "T", r"[!/][^()/]*[_~#]\.?\(", r"\)\.?(?:/|$)", "The two people in the dialogue are taking photos. (照相)"),
    Rule("statement", STATE, TEXT, rf"[=uk]{G14}", r"[s'p]?(?:[,./()aAVnX]|:?R)|[s'p]?$", "属于空间关系"),
    Rule("hedge", STATE, PLAIN, rf"(?<!N)(?<!N')(?:h{G1}|[yow]{ZN}'?{ZN}|o_)", r"", "maybe c"),
    Rule("alone", STATE, PLAIN, rf"[!,./:^][FfKo]?{Z}", r"(?:,['_])?[.,]?(?:/|$)", "Assistant: b"),
    Rule("alone", STATE, "M", r"![_~]:[(\[]*", r"[.(]", "Ответ: C. Она сказала, что ключ у соседа."),
    Rule("cell", STATE, PLAIN, r"['_~#]\|b*", r"\|?/*$", "| 短语1 | 短语2 | 关系领域 |\n|---|---|---|\n| 箱子 | 沉的 | 属性 |"),
    Rule("alone", STATE, "TQGW", rf"[!,./:][FfKo]?{Z}", r"[./]", "三。后果。守一夜，困，坐过站。"),
]

# Rules for tasks with several right options: these first, then RULES. Each item of a list is judged on its own; all may be
# chosen.
SETS = [
    Rule("all-but-these", BUT, PLAIN, rf"(?:B{Y}[EV]|(?:[!./,]|S=)_?~?E){G1}", r"(?![^./]*(?:[-0xz]|N['_]?[+wyC]))", "All but (3)"),
    Rule("all-but-these", BUT, PLAIN, rf"E{G4}", r"(?:N['_]?[+w]|-)['_]*,OB?[+wy]", "除了D不合理以外，其他都合理。"),
    Rule("all-of-them", ALL, "B", r"[!./,:]F?(?:['_]?=)?", r"['_L~]*=?(?:[./,]|$)", "All of the above."),
    Rule("all-of-them", ALL, "B", r"[!./,:]F?['_]?", r"['_L~]*(?:=?['_B]*[+wy]|=(?:[./,]|$))", "全部都对"),
    Rule("all-of-them", ALL, "B", r"l['_]*", r"(?:[./,]|$)|['_]*[+wy]", "这道多选题里，C可以直接去掉，剩下的全选。"),
    Rule("all-of-them", ALL, "O", r"", r"[=B_']*(?:[+wy]|C(?:[./,]|$))|['_]*B=(?:[./,]|$)", "(1)不正确，其余都正确"),
    Rule("ranked", NAME, ANY, rf"P[^/]*:(?:[^/]*/)*[b.]*{Z}", r"", "Ranking:\n1. (0) The speaker wants to buy…"),
    Rule("judged-right", PICK, ANY, r"(?:[!/,.|]|M:[-+])[b(|]*", r"p?\.?[:=(|,]*(?:=|[_']=?)?A?[+wy](?!N_|_[=:]|['_]?x)", "0: true, 1: false, 2: true, 3: false, 4: false"),
    Rule("judged-right", PICK, "MQ", r"[!/.]", r"[^./MTQGWmNXn-]*,[+](?:[./]|$)", "A项称“躺着”，于法无据，不当选；B项与法条表述一致，当选。他人要求分担的，有权追偿，C项当选。…"),
    Rule("judged-right", PICK, ANY, r"", r"\(?\+\)?(?:[MTQGW./,]|$)", "(0) ✓ (2) ✓"),
    Rule("all-of-them", STATE, "GW", r"[!/.,][Ff,]*", r"['_]?p?B(?![^./MTQGWnC]*[-NX][^./MTQGWC]*(?:[./]|$))[^./x]*(?<![-0xzXNn])(?:[./]|$)", "A、B、C、D四个选项都涉及歧视。"),
    Rule("statement", STATE, TEXT, r"R", r",'R", "她不去看演出，一是因为晚上没时间，二是因为他们唱得差，所以她没有兴趣。"),
    Rule("answer", ANSWER, "GW", r"[./]:", r"[./]*$", "A ✗ 小丁请病假，不可能属实；B 属实；C 属实；D ✗ 小戴还堵着，不可能属实。→ A、D"),
    Rule("boxed", ANSWER, PLAIN, rf"\[{Z}", r"", "B为仪器，D为药品，两者都正确。\n\n\\boxed{AC}"),
    Rule("answers", PICK, "GW", rf"(?:(?<![LpNX])i|[!./][^-0xXNzp./MTQGW]*L):?{Z}", r"[./]|$", "会议室要准备的设备包括：A.投影仪、B.无线话筒、C.翻页笔、D.扩音器。"),
    Rule("answers", PICK, ANY, rf"(?:(?<!M:)(?<!n)[+]|(?<![Nn])[CSwyY]|y_)(?:[LspB~]['_]?|['_](?=:\^|p))*[=B]*{ZN}:?{ZN}", r"", "Yes: 0, 2\nNo: 1, 3, 4"),
    Rule("line", LINE, PLAIN, r"[!/.^][b,.:(|\[]*'?", r"[)\],.]*(?:/*'?[b(]*[MTQGW]|/*$|/)|['_](?:/|$)", "(4) The speaker is hungry. (0) The speak…"),
    Rule("and", STATE, ANY, rf"[MTQGW](?:\([^()]*)?\),?A?{Z}", r"(?!=?-)", "The answers are 0 (a new phone) and 2 (stolen)."),
    Rule("sorted", NAME, ANY, rf"[!/]b[_~#]:{Z}", r"", "- 主体方面：当事人具有行为能力（A）\n- 形式方面：经过公证（B）"),
    Rule("also", STATE, ANY, r"[./]A,?", r"['_]?a(?![^./]*[-0xXNnz])", "选A。另外C也能从“我家在朝阳区”看出来。"),
    Rule("options", LINE, PLAIN, r"[!/]['_~]?[LspB]*", r"\.?(?:/|$)", "Options A and C"),
]
# fmt: on


Matcher = Callable[[str], object]
CompiledRule = tuple[Rule, Matcher | None, Matcher | None]  # matchers of the tape before and behind; None matches any


def compile_rules(rules: Sequence[Rule]) -> dict[str, list[CompiledRule]]:
    """Focus token -> its rules, by rank."""
    table: dict[str, list[CompiledRule]] = {}
    for rule in rules:
        ends = re.compile(rf"(?:{rule.before})\Z").search if rule.before else None
        row = (rule, ends, re.compile(rule.behind).match if rule.behind else None)
        for token in rule.focus:
            table.setdefault(token, []).append(row)
    return table


@lru_cache(maxsize=2)
def table(several: bool) -> dict[str, list[CompiledRule]]:
    return compile_rules((*SETS, *RULES) if several else RULES)


BACK, AHEAD = 48, 24  # tokens that rules see before and behind


def matching(token: str, before: str, behind: str, several: bool) -> Iterator[Rule]:
    """The rules that match at a token, by rank."""
    return (
        rule
        for rule, ends, begins in table(several).get(token, ())
        if (begins is None or begins(behind)) and (ends is None or ends(before))
    )


@lru_cache(maxsize=2**16)
def first_match(token: str, before: str, behind: str, several: bool) -> Rule | None:
    """The first rule that matches."""
    return next(matching(token, before, behind, several), None)


class Hit(NamedTuple):
    """A rule's verdict on the options named at `start:end` of the clean text."""

    verdict: str
    rule: str
    options: tuple[int, ...]
    start: int
    end: int
    before: str = ""  # the tape before it
    behind: str = ""
    conflict: bool = False
    labelled: bool = False  # each option is named by its label with a text behind it
    at: int = 0  # the index of its token on the tape

    @property
    def heads(self) -> bool:
        """Whether it heads an item of a list that does not judge it."""
        judged = self.verdict == NOT or (self.verdict in (PICK, STATE) and self.rule not in _ANNOUNCED)
        return self.labelled and not judged and self.before[-1:] in "!/.,:^|b(?="

    @property
    def strength(self) -> int:
        """The strength of its verdict; 0 for a verdict without one, such as NAME."""
        return STRENGTH.get(self.verdict, 0)

    @property
    def picks(self) -> bool:
        """Whether it chooses its options, by whatever words or position."""
        return self.verdict in _PICKS

    @property
    def explicit(self) -> bool:
        """Whether explicit words choose its options."""
        return self.verdict in (ANSWER, PICK)

    @property
    def adds(self) -> bool:
        """Whether it is chosen in addition to the option before: 也, or on the next line of a list."""
        return bool(self.rule == "item" or _ALSO.search(self.before) or _ALSO_BEHIND.match(self.behind))

    @property
    def firm(self) -> bool:
        """Whether it stands in a conclusion or a correction."""
        return _FIRM.search(self.before) is not None

    @property
    def decides(self) -> bool:
        """Whether it replaces an answer by name before it: it chooses, or corrects, and does not only say what is right."""
        ends = self.rule == "choose" and _ENDS_CLAUSE.match(self.behind) is not None
        chooses = self.verdict == ANSWER or (self.verdict == PICK and (ends or self.rule in _OVERRIDES))
        return chooses or _CORRECTS.search(self.before) is not None


_PICKS = frozenset((ANSWER, PICK, LINE, HEAD, STATE))
_TEXTED = re.compile(r":|\.[^./,MTQGWm]")  # a label and a text behind it
_GLOSS = re.compile(r"^\([_'~#,]*\)")  # (a) premise (前提)
_ALSO = re.compile(r"[aA][^MTQGW./,]*\Z")
_ALSO_BEHIND = re.compile(r"['_]?a")
_CORRECTS = re.compile(r"K[^./]*\Z|[NX-],=\Z")
# Rules that also match options in a list behind words that announce it.
_ANNOUNCED = frozenset(("alone", "answer", "answers", "category-is", "fits", "statement"))
_OVERRIDES = frozenset(("is", "concluded", "but", "this-one", "put-in", "ranking"))
_ENDS_CLAUSE = re.compile(r"['_]?(?:[,./()RF]|$)")  # 选A, not 选A往往是因为…
_FIRM = re.compile(r"[FfK][^./]*\Z")
_TALKED = re.compile(r"[)\],.:|]*/(?![b.]*[MTQGW])[^/]")  # it fills a line, and the next line discusses it
_SAID_OF = re.compile(r"[.):]*[_~#]|:'/")
_ITEM = re.compile(r"[!/^][b,.:(|\[]*\Z")
_GIVES_REASON = re.compile(r"[,.:(]*R")
_OPENS = re.compile(r"[S+][^./MTQGWm?@]*:\^[b(]*\Z")  # 正确的是: at the end of a line
_NEXT_LINE = re.compile(r"(?:[:,][^/]+|\.)?/[b(|]*(?:[MQ]|T(?:[.,:|()/\]]|$))")  # not a sentence about another option


def hits(tape: Tape, count: int, echo: bool, several: bool = False) -> list[Hit]:
    """The rules' verdicts on each mention of a block, and on each cue that speaks of all options, in order. `count`: the number
    of the item's options. `echo`: the block repeats the prompt. `several`: several options may be right."""
    found: list[Hit] = []
    tokens, focus = tape.tokens, table(several)
    for at in compress(range(len(tokens)), map(focus.__contains__, tokens)):
        before, behind = tokens[max(at - BACK, 0) : at], tokens[at + 1 : at + 1 + AHEAD]
        if behind.startswith("("):
            behind = _GLOSS.sub("", behind)
        rule = first_match(tokens[at], before, behind, several)
        group = tape.groups.get(at)
        if group is None:
            if rule is not None:
                found.append(Hit(rule.verdict, rule.name, (), *tape.spans[at], before, behind, at=at))
            continue
        verdict, name = (rule.verdict, rule.name) if rule else (NAME, "named")
        options = group.options
        if (group.ranked or name == "ranking") and verdict != NOT:
            verdict, name, options = PICK, "ranking", options[:1]
        listed = len(options) == count > 1 and any(m.kind == "text" or m.end - m.start > 3 for m in group.members)
        weak = verdict in (LINE, HEAD) or (echo and verdict in (ANSWER, PICK, STATE, ASK))
        if weak and (listed or (echo and verdict not in (ANSWER, PICK))):
            verdict, name = NAME, "echo"
        labelled = all([m.kind == "label" and (m.end - m.start > 3 or _TEXTED.match(behind)) for m in group.members])
        found.append(Hit(verdict, name, options, *tape.spans[at], before, behind, group.conflict, labelled, at))
    # Lists of options are judged again as lists; a single hit is none.
    if len(found) > 1:
        found = _unrepeated(_paraphrased(found, tokens) if several else found, count, several, echo)
    if len(found) < 2:
        return found
    return _undiscussed(found if several else _unlisted(_before_turns(found, count)), tokens, several)


def _before_turns(found: list[Hit], count: int) -> list[Hit]:
    """The hits before a list in which each option in turn is called the answer: (a)… 答案：a, (b)… 答案：b."""
    if len(found) <= count:
        return found
    pairs = [(one, two) for one, two in pairwise(found) if one.options == two.options]
    turns = [one for one, two in pairs if one.heads and two.verdict == ANSWER]
    firsts = [n for n in range(len(turns)) if [h.options for h in turns[n : n + count]] == [(m,) for m in range(count)]]
    return found[: found.index(turns[firsts[0]])] if firsts else found


def _unrepeated(found: list[Hit], count: int, several: bool, echo: bool) -> list[Hit]:
    """The hits, with all options listed in order, each with its text, only named: such a list repeats the question. Behind
    an answer by name it belongs to another question, and the hits end before it. Where several may be right, a list that is
    announced as the answer chooses all."""
    if len(found) < 2 or not any([hit.labelled for hit in found]):
        return found
    run: list[int] = []
    listed: list[int] = []
    answered = False
    lists: list[Hit] = []  # the first of each list
    for at, hit in enumerate(found):
        if run and hit.options == found[run[-1]].options and _OWN_TEXT.search(hit.before):
            continue  # the item's text
        bare = len(run) > 1 and at == len(found) - 1 and not hit.behind and hit.before[-1:] in "/.;:"  # cut off
        heads = hit.heads and not (run and hit.before[-1:] == "(")  # in brackets: a remark
        follows = (heads or bare) and hit.options == (*range(len(listed), len(listed) + len(hit.options)),)
        if (not follows and hit.options) or (run and _ANNOUNCED_ITEM.search(hit.before)):
            run, listed = [], []
            follows = hit.heads and hit.options == (*range(len(hit.options)),)
        if follows:
            run, listed = [*run, at], [*listed, *hit.options]
        if len(listed) == count > 1:
            first = found[run[0]]
            announced = first.verdict == ANSWER or first.rule == "answers" or _OPENS.search(first.before) is not None
            if answered and not announced:
                return found[: run[0]]
            verdict, rule = (ANSWER, "all-listed") if several and announced else (NAME, "listed")
            found = [h._replace(verdict=verdict, rule=rule) if n in run else h for n, h in enumerate(found)]
            lists.append(first)
            run, listed = [], []
        answered = answered or (hit.verdict == ANSWER and not follows)
    # A list that begins again, or stands in a repeated question, and is cut off.
    more = len(run) > 1 and (echo or (lists and not several and run[-1] == len(found) - 1))
    again = more and not any(found[n].explicit for n in run[1:])
    if again or (run and any(_announced_alike(found[run[0]], first) for first in lists)):
        found = [h._replace(verdict=NAME, rule="listed") if n in run else h for n, h in enumerate(found)]
    return found


def _announced_alike(one: Hit, other: Hit) -> bool:
    """Whether the same words stand before two hits on their lines."""
    before = one.before.rpartition("/")[2][-_ALIKE:]
    return len(before) == _ALIKE and other.before.endswith(before)


_OWN_TEXT = re.compile(r"M[.:]['_]?\Z")
_ALIKE = 3  # tokens before two lists that show that one repeats the other


def _paraphrased(found: list[Hit], tokens: str) -> list[Hit]:
    """The hits; an option whose line says its text in other words is chosen as the lines beside it are, and an item of a list
    behind words that announce the answer as the item before it is."""
    item: Hit | None = None  # the last item of an announced list
    for at, hit in enumerate(found):
        if hit.explicit and (hit.labelled or hit.before[-1:] in "b(") and _ANNOUNCED_ITEM.search(hit.before):
            item = hit
        elif item and "/" in (between := tokens[item.at + 1 : hit.at]):
            item = hit._replace(verdict=item.verdict, rule="item") if _NEXT_ITEM.fullmatch(between) else None
            found[at] = item if item and hit.rule in ("named", "line", "discussed") else hit
    return [
        hit._replace(verdict=LINE, rule="line")
        if hit.rule == "named"
        and _LINED.search(hit.before)
        and _PLAIN_LINE.match(hit.behind)
        # The hit before or behind it stands on a line of its own, with its option's text.
        and any(near.verdict == LINE and near.labelled for near in found[max(at - 1, 0) : at] + found[at + 1 : at + 2])
        else hit
        for at, hit in enumerate(found)
    ]


_LINED = re.compile(r"[!/^][b(]*\Z")
_ANNOUNCED_ITEM = re.compile(r":\^{1,2}(?:b[(]*)?\Z")
_NEXT_ITEM = re.compile(r"[^/]*(?:/b['_~]+:[^/^]*)?/{1,2}(?:b[(]*)?")  # also behind a line of reasons: - 依据: …
_PLAIN_LINE = re.compile(r"[.:][_~#',]*\.?(?:/|$)")


def _undiscussed(found: list[Hit], tokens: str, several: bool) -> list[Hit]:
    """The hits, without choices by position alone (on a line, at the head) where each option in turn heads a discussion."""
    heads = [hit for hit in found if hit.options and hit.verdict != LINE and _ITEM.search(hit.before)]
    items = {hit.options for hit in heads if not several or _SAID_OF.match(hit.behind)}
    if heads and _GIVES_REASON.match(heads[0].behind) and {tokens[hit.at] for hit in heads[1:]} == {"T"}:
        return found  # (a)，因为…, and on other lines the texts of options
    talked = [hit for hit in found if hit.verdict == LINE and _TALKED.match(hit.behind)]
    if len(talked) == 1 and talked[0].before == "!":
        talked = []  # the answer, and why
    elif talked and found[-1].verdict == LINE:
        talked.append(found[-1])  # cut off
    if len(items | {hit.options for hit in talked}) < 2:
        return found
    talked += [hit for hit in found if hit.verdict == HEAD]
    return [hit._replace(verdict=NAME, rule="discussed") if hit in talked else hit for hit in found]


def _unlisted(found: list[Hit]) -> list[Hit]:
    """The hits, without a list of options that is announced like an answer: 答案是：(a)…, (b)… on a line each."""
    listed: list[Hit] = []
    for hit, after in pairwise(found):
        begins = hit.explicit and hit.rule != "ranking" and hit.before[-1:] in ":^=b("
        if after.verdict in (NOT, ANSWER, PICK) or after.options == hit.options:
            continue
        if _NEXT_LINE.match(hit.behind) and (begins or hit in listed):
            listed += [hit, after]
    return [hit._replace(verdict=NAME, rule="listed") if hit in listed else hit for hit in found]
