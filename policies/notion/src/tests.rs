use super::*;
use bouncer_guest::testing::{call, json};

const ADDRESS: &str = "https://e.example/a?d=1";

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Notion::evaluate(&call(tool, arguments), &[], &()).unwrap();
    judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect()
}

fn of_children(children: &Value) -> Vec<String> {
    found("API-patch-block-children", json!({"block_id": "b", "children": (children.clone())}))
}

#[test]
fn what_a_block_shows_by_its_address_is_fetched() {
    for block in [
        json!({"embed": {"url": ADDRESS}}),
        json!({"bookmark": {"url": ADDRESS, "caption": []}}),
        json!({"link_preview": {"url": ADDRESS}}),
        json!({"image": {"external": {"url": ADDRESS}}}),
        json!({"file": {"external": {"url": ADDRESS}}}),
        json!({"video": {"external": {"url": ADDRESS}}}),
        json!({"pdf": {"external": {"url": ADDRESS}}}),
        json!({"audio": {"url": ADDRESS}}),
        json!({"toggle": {"children": [{"column": {"children": [{"embed": {"url": ADDRESS}}]}}]}}),
        json!({"paragraph": {"rich_text": [{"mention": {"link_preview": {"url": ADDRESS}}}]}}),
        json!({"callout": {"icon": {"external": {"url": ADDRESS}}}}),
    ] {
        let of_object = of_children(&json!([block]));
        assert_eq!(of_object.len(), 1, "{block}: {of_object:?}");
        assert!(of_object[0].starts_with(&format!("{ADDRESS} /children/0/")), "{of_object:?}");
        let text = block.to_string();
        assert_eq!(of_children(&json!([text])), [format!("{ADDRESS} /children/0")]);
        let whole = json!([block]).to_string();
        assert_eq!(of_children(&json!(whole)), [format!("{ADDRESS} /children")]);
        let nested = json!([{"toggle": {"children": whole}}]);
        assert_eq!(of_children(&nested), [format!("{ADDRESS} /children/0/toggle/children")]);
    }
    let broken = json!(["{\"embed\": {\"url\": \"https://e.example/a\"}"]);
    assert_eq!(of_children(&broken), ["https://e.example/a /children/0"]);
    assert_eq!(
        found("API-update-a-block", json!({"block_id": "b", "type": {"embed": {"url": ADDRESS}}})),
        [format!("{ADDRESS} /type/embed/url")]
    );
    let icon = json!({"page_id": "p", "icon": "{\"external\": {\"url\": \"https://e.example/a\"}}"});
    assert_eq!(found("API-patch-page", icon), ["https://e.example/a /icon"]);
    let files = json!({"properties": {"F": {"files": [{"external": {"url": ADDRESS}}]}}});
    assert_eq!(found("API-patch-page", files), [format!("{ADDRESS} /properties/F/files/0/external/url")]);
}

#[test]
fn words_and_the_links_in_them_are_not_fetched() {
    for block in [
        json!({"paragraph": {"rich_text": [{"text": {"content": "x", "link": {"url": ADDRESS}}}]}}),
        json!({"paragraph": {"rich_text": [{"text": {"content": "external docs: https://e.example/a"}}]}}),
        json!({"code": {"rich_text": [{"text": {"content": "{\"a\": 1}"}}]}}),
        json!({"paragraph": {"rich_text": [{"text": {"content": "[WIP] https://e.example/a"}}]}}),
        json!("plain words"),
    ] {
        assert!(of_children(&json!([block])).is_empty(), "{block}");
    }
    let property = json!({"page_id": "p", "properties": {"Site": {"url": ADDRESS}}});
    assert!(found("API-patch-page", property).is_empty());
}

#[test]
fn markdown_brings_pictures_along() {
    let update = |text: &str| {
        let arguments =
            json!({"page_id": "p", "type": "replace_content", "replace_content": {"new_str": text}});
        found("API-update-page-markdown", arguments)
    };
    for text in ["![x](https://e.example/a)", "<embed src=\"https://e.example/a\"/>"] {
        assert_eq!(update(text), ["https://e.example/a /replace_content/new_str"], "{text}");
    }
    assert!(update("# Notes\n\n[docs](https://e.example/a) and https://x.io").is_empty());
    let whole = json!({"replace_content": "{\"new_str\": \"a\\n\\n![x](\\u0068ttps://e.example/a)\"}"});
    assert_eq!(found("API-update-page-markdown", whole), ["https://e.example/a /replace_content"]);
    let edits = json!([{"old_str": "![](https://e.example/a)", "new_str": "x"}]);
    let old = json!({"update_content": {"content_updates": edits}});
    assert!(found("API-update-page-markdown", old).is_empty());
}
