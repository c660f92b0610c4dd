"""Words that say up or down in other languages than English; plain data, read by `signs` and by the rules on directions.

East Asian words stand against the figure, before or behind it; the others are beginnings of words with a space between.
"""

from __future__ import annotations

import re

_words = re.compile(r"\S+").findall

UP_STEMS = _words(
    "gestiegen stieg steig anstieg zuwachs wuchs gewachsen erhöh zunahme zugenommen "
    "hausse augment croissance progress aument increment crec subi subió aumento "
    "вырос выросл рост увелич возрос подня прибав прирост "
    "αύξηση αυξήθηκε άνοδος άνοδο αυξή "
    "ارتفع ارتفعت ارتفاع زيادة زاد نمو نما "
    "עלה עלתה עלייה עלו גידול צמח "
    "वृद्धि बढ़ बढ़ी बढ़ा बढ़े"
)
DOWN_STEMS = _words(
    "gesunken sank sinkt rückgang gefallen fiel gefall verringer abnahme abgenommen "
    "baisse diminu recul chut réduc disminu caíd cayó cayeron descen reduc reducción bajó bajaron caíd "
    "упал снизил сниж сократ уменьш паден убыл спад "
    "μείωση μειώθηκε πτώση μειώ υποχώρησ "
    "انخفض انخفضت انخفاض تراجع تراجعت هبط هبوط "
    "ירד ירדה ירידה ירדו קיטון "
    "गिरावट गिर घट घटी कमी"
)
LOSS_STEMS = _words("verlust perte pérdida perda убыток убытк ζημιά ζημία ζημίες خسارة خسائر הפסד घाटा")
UP_EAST = _words("增长 增長 增加 上升 上涨 上漲 提高 增 増加 増 上昇 伸び 成長 증가 상승 늘어 늘었 성장")
DOWN_EAST = _words("下降 减少 減少 下跌 下滑 降低 减 減 低下 下落 감소 하락 줄어 줄었")
LOSS_EAST = _words("亏损 虧損 净亏损 損失 赤字 적자 손실")
BETWEEN = _words("um на de of en del des d' κατά بنسبة ب ב ב-")
"""Words between such a verb and its figure: "выросла на 9%"."""
