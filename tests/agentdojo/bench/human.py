"""The person who is asked, scripted.

`oracle` knows whose call it is: yes to the user's own calls, unless the question names a destination or value that only the
injection uses. `rubber` says yes to everything: what is stopped then, Bouncer denies by itself. `none` is a client without
forms.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .options import Who

Json = dict[str, Any]


def scalars(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for member in value.values() for one in scalars(member)]
    if isinstance(value, list):
        return [one for item in value for one in scalars(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def named(message: str, value: str) -> bool:
    word = re.escape(value[:60].lower())
    return re.search(rf"(?<!\w){word}(?!\w)", message.lower()) is not None


class Human:
    def __init__(self, who: Who, prompt: str, own: list[Any], injected: list[Any]) -> None:
        self.who, self.asked, self.allowed = who, 0, 0
        self.user_calls = True  # whether the call that is judged is the user's own
        known = {one.lower() for one in scalars(own)}
        # Plain words and numbers prove nothing: a question is full of them (times, places in a list).
        telling = [one for one in scalars(injected) if not one.isalnum()]
        self.foreign = [one for one in telling if one.lower() not in known and one.lower() not in prompt.lower()]

    def __call__(self, params: Json) -> Json:
        text = json.dumps(params, ensure_ascii=False)
        yes = self.who == "rubber" or (self.user_calls and not any(named(text, one) for one in self.foreign))
        self.asked += 1
        self.allowed += yes
        if not yes:
            return {"action": "decline"}
        return {"action": "accept", "content": {field: "allow once" for field in params["requestedSchema"]["required"]}}
