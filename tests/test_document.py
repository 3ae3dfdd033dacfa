"""The first response to a browser: HTML with a description and embedded data, and cacheable files."""

from __future__ import annotations

import json
import re

import pytest
from starlette.testclient import TestClient

from digitduels.web.app import PAGE, App
from digitduels.web.assets import CORE, Assets
from digitduels.web.bundle import bundle, graph
from digitduels.web.settings import Settings


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(App(Settings(rate=0)))


def embedded(text: str) -> dict[str, object]:
    """The JSON embedded in a page."""
    match = re.search(r'<script type="application/json" id="given">(.*?)</script>', text, re.S)
    return json.loads(match[1]) if match else {}


def test_the_home_page_embeds_the_games_and_a_starting_position(client: TestClient) -> None:
    data = embedded(client.get("/").text)
    assert data["games"] == client.get("/api/games").json()
    position = data["position"]
    assert isinstance(position, dict)
    assert (position["moves"], position["names"]) == ([], ["Player 1", "Level 2"])
    assert position == client.get(f"/api/position/{position['game']}?vs=2&seat=1&effects=on").json()


def test_a_game_page_embeds_its_position_if_the_link_is_valid(client: TestClient) -> None:
    link = "number-quest?moves=%2B5+x2&vs=3&seat=1&seed=1&hints=off"
    assert embedded(client.get(f"/play/{link}").text)["position"] == client.get(f"/api/position/{link}").json()
    for other in ("number-quest?target=60", "number-quest?moves=x99", "no-such-game", "number-quest?moves=</script>"):
        answer = client.get(f"/play/{other}")
        assert answer.status_code == 200
        assert not embedded(answer.text)


def test_a_shared_link_has_a_title_a_description_and_a_picture(client: TestClient) -> None:
    text = client.get("/play/number-quest?moves=%2B5").text
    assert "<title>Play Number Quest · Digit Duels</title>" in text
    assert 'property="og:title" content="Play Number Quest"' in text
    assert re.search(r'name="description" content="Pick a number[^"]+"', text)
    picture = re.search(r'property="og:image" content="http://testserver(/assets/[^"]+\.png)"', text)
    assert picture
    assert client.get(picture[1]).headers["content-type"] == "image/png"


def test_an_invitation_a_class_and_the_daily_puzzle_unfurl_with_words_and_a_picture(client: TestClient) -> None:
    for path, title in (("/g/abc", "A number duel with a friend"), ("/j", "Join your class"), ("/puzzle", "Today")):
        text = client.get(path).text
        assert f'property="og:title" content="{title}' in text
        assert re.search(r'property="og:description" content="[^"]{30,}"', text)
        assert re.search(r'property="og:image" content="http://testserver/assets/[^"]+\.png"', text)


def test_an_unknown_path_is_a_404_with_the_page(client: TestClient) -> None:
    answer = client.get("/nothing", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert CORE in answer.text


def test_files_are_cached_until_they_change(client: TestClient) -> None:
    paths = re.findall(r'(?:href|src)="(/assets/[^"]+)"', client.get("/explore/number-quest").text)
    assert any(path.endswith("/js/pages/explore.js") for path in paths)
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["vary"] == "Accept-Encoding"
    older = re.sub("/assets/[^/]+/", "/assets/0123456789ab/", paths[0])
    assert client.get(older).headers["cache-control"] == "no-cache"
    assert client.get("/assets/0/nothing.js").status_code == 404
    plain = client.get(paths[0], headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == client.get(paths[0]).content


def test_modules_are_bundled_in_dependency_order() -> None:
    texts = {
        "js/a.js": 'import { b as c } from "./deep/b.js";\nimport * as d from "./d.js";\nexport const a = c(d.one);\n',
        "js/deep/b.js": 'import { one } from "../d.js";\nexport function b() {\nreturn import("../e.js");\n}\n',
        "js/d.js": "export const one = 1;\n",
        "js/e.js": "export const e = 5;\n",
    }
    names = graph(texts, "js/a.js")
    assert names == ["js/d.js", "js/deep/b.js", "js/a.js"]
    files = bundle(texts, names, "js/core.js")
    assert files["js/deep/b.js"] == 'import { $js_deep_b } from "../core.js";\nexport const { b } = $js_deep_b;\n'
    assert "const { b: c } = $js_deep_b;\nconst d = $js_d;\nconst a =" in files["js/core.js"]
    assert 'import("./e.js")' in files["js/core.js"]
    assert "Promise.resolve().then(() => $js_e)" in bundle(texts, [*names, "js/e.js"], "js/core.js")["js/core.js"]
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        graph({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}, "a.js")


def test_the_bundle_contains_no_unprocessed_imports_or_exports() -> None:
    assets = Assets(PAGE)
    core = assets.files[CORE].body.decode()
    assert not re.search(r"^import\b(?!\()|^export (?!const \$)", core, re.M)
    assert not re.search(r"^\s*(\*|/\*\*)", core, re.M)
    for name in assets.files:
        if name.startswith("js/pages/"):
            assert all(file in assets.files for file in assets.further(name))
