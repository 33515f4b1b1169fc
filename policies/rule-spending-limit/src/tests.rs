use super::*;
use bouncer_guest::testing::{self, call, json, server, tool};

fn settings() -> Settings {
    testing::settings::<SpendingLimit>(&json!({"tools": {
        "create_refund": {"amount": "/amount", "per_call": 5000, "calls": 3},
        "pay": {"amount": "/items/*/amount", "per_call": 10.5, "calls": 1, "currency": "/currency", "currencies": ["EUR"]},
    }}))
    .unwrap()
}

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = SpendingLimit::evaluate(&call(tool, arguments), &[], &settings()).unwrap();
    judgement.findings().iter().map(|found| found.code().to_owned()).collect()
}

#[test]
fn a_call_may_spend_so_much_and_no_more() {
    assert!(found("create_refund", json!({"amount": 5000})).is_empty());
    assert!(found("create_refund", json!({"amount": "4999.5"})).is_empty());
    assert_eq!(found("create_refund", json!({"amount": 5001})), ["over_limit"]);
    assert_eq!(found("create_refund", json!({"amount": -5001})), ["over_limit"]);
    for amount in
        [json!("1e9"), json!("1,000"), json!("NaN"), json!(""), json!(null), json!("0x10"), json!([])]
    {
        assert_eq!(found("create_refund", json!({"amount": amount})), ["no_amount"], "{amount}");
    }
    // The whole payment, where nothing is said.
    assert_eq!(found("create_refund", json!({})), ["no_amount"]);
    assert!(found("get_balance", json!({})).is_empty());
}

#[test]
fn amounts_are_added_up_and_the_currency_counts() {
    let items = |amounts: &[f64]| amounts.iter().map(|a| json!({"amount": a})).collect::<Vec<_>>();
    assert!(found("pay", json!({"items": items(&[5.0, 5.5]), "currency": "eur"})).is_empty());
    assert_eq!(found("pay", json!({"items": items(&[5.0, 5.6]), "currency": "EUR"})), ["over_limit"]);
    assert_eq!(found("pay", json!({"items": items(&[20.0, -20.0]), "currency": "EUR"})), ["over_limit"]);
    assert_eq!(found("pay", json!({"items": items(&[5.0]), "currency": "BTC"})), ["other_currency"]);
    assert_eq!(found("pay", json!({"items": items(&[5.0])})), ["other_currency"]);
}

#[test]
fn every_item_has_an_amount_that_can_be_read() {
    for (items, expected) in [
        (json!([{"amount": 1}, {"amount": "2.5"}, {"amount": -3}]), &[][..]),
        (json!([{"amount": 10.5}]), &[]),
        (json!([{"amount": 10.25}, {"amount": 0.26}]), &["over_limit"]),
        (json!([{"amount": 6}, {"amount": -6}]), &["over_limit"]),
        (json!([{"amount": -11}]), &["over_limit"]),
        (json!([{"amount": "99999999999999999999999999"}]), &["over_limit"]),
        (json!([{"amount": 1}, {}]), &["no_amount"]),
        (json!([{}, {"amount": 1}]), &["no_amount"]),
        (json!([{"amount": 1}, null]), &["no_amount"]),
        (json!([{"amount": 1}, 5]), &["no_amount"]),
        (json!([{"amount": 1}, []]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": null}]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": true}]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": {"value": 1}}]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": [1]}]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": []}]), &["no_amount"]),
        (json!([{"amount": 1}, {"amount": {}}]), &["no_amount"]),
        (json!([{"amount": 1}, {"Amount": 2}]), &["no_amount"]),
        (json!([{"amount": 1, "AMOUNT": 2000}]), &["no_amount"]),
        (json!([]), &["no_amount"]),
        (json!(null), &["no_amount"]),
        (json!({"amount": 1}), &["no_amount"]),
        (json!({"*": {"amount": 1}}), &["no_amount"]),
        (json!({"0": {"amount": 1}}), &["no_amount"]),
        (json!("[{\"amount\": 1}]"), &["no_amount"]),
        (json!(1), &["no_amount"]),
    ] {
        assert_eq!(found("pay", json!({"items": items.clone(), "currency": "EUR"})), expected, "{items}");
    }
    let huge = "9".repeat(400);
    for amount in [
        "NaN",
        "-NaN",
        "nan",
        "inf",
        "Infinity",
        "-",
        ".",
        "--5",
        "+5",
        "1.2.3",
        "1.000",
        "1_000",
        "5e0",
        "0x1",
        "010",
        "0",
        "-0",
        "0.00",
        "\u{ff15}",
        "5 0",
        "5 EUR",
        "\u{2212}5",
        huge.as_str(),
    ] {
        let items = json!([{"amount": 1}, {"amount": amount}]);
        assert_eq!(found("pay", json!({"items": items, "currency": "EUR"})), ["no_amount"], "{amount}");
    }
    for number in ["0", "-0", "0.0", "1e1", "1E400", huge.as_str()] {
        let arguments: Value = format!("{{\"amount\":{number}}}").parse().unwrap();
        assert_eq!(found("create_refund", arguments), ["no_amount"], "{number}");
    }
    // A tool that tells letters not apart.
    assert_eq!(
        found("pay", json!({"items": [{"amount": 1}], "itemſ": [{"amount": 99}], "currency": "EUR"})),
        ["no_amount"]
    );
    assert_eq!(
        found("pay", json!({"items": [{"amount": 1}], "currency": "EUR", "Currency": "BTC"})),
        ["other_currency"]
    );
    for currency in [json!(["EUR"]), json!({"x": "EUR"}), json!(null), json!([]), json!(1)] {
        assert_eq!(found("pay", json!({"items": [{"amount": 1}], "currency": currency})), ["other_currency"]);
    }
}

#[test]
fn each_item_has_its_currency_and_names_may_hold_a_slash() {
    let settings = testing::settings::<SpendingLimit>(&json!({"tools": {"pay": {
        "amount": "/by~1id/{}/amount", "per_call": 10, "calls": 1,
        "currency": "/by~1id/{}/currency", "currencies": ["EUR"],
    }}}))
    .unwrap();
    for (by_id, expected) in [
        (json!({"a": {"amount": 1, "currency": "EUR"}, "b": {"amount": 9, "currency": "eur"}}), &[][..]),
        (json!({"a": {"amount": 1, "currency": "EUR"}, "b": {"amount": 9}}), &["other_currency"]),
        (json!({"a": {"amount": 1, "currency": "EUR"}, "b": {"currency": "EUR"}}), &["no_amount"]),
        (json!([{"amount": 1, "currency": "EUR"}]), &["no_amount", "other_currency"]),
    ] {
        let judgement =
            SpendingLimit::evaluate(&call("pay", json!({"by/id": by_id.clone()})), &[], &settings).unwrap();
        let codes: Vec<&str> = judgement.findings().iter().map(Finding::code).collect();
        assert_eq!(codes, expected, "{by_id}");
    }
}

#[test]
fn a_limit_that_limits_nothing_is_none() {
    for limit in [
        json!({"amount": "amount", "per_call": 1, "calls": 1}),
        json!({"amount": "/amount", "per_call": -1, "calls": 1}),
        json!({"amount": "/amount", "per_call": 1, "calls": 1, "currency": "currency", "currencies": ["EUR"]}),
        json!({"amount": "/amount", "per_call": 1, "calls": 1, "currencies": ["EUR"]}),
        json!({"amount": "/amount", "per_call": 1, "calls": 1, "currency": "/currency"}),
    ] {
        let settings = testing::settings::<SpendingLimit>(&json!({"tools": {"x": limit.clone()}})).unwrap();
        assert!(SpendingLimit::contracts(&server("x"), &[], &settings).is_err(), "{limit}");
    }
}

#[test]
fn how_often_is_the_contracts_matter() {
    let listed = [tool("create_refund", &["amount"]), tool("get_balance", &[])];
    let contracts = SpendingLimit::contracts(&server("x"), &listed, &settings()).unwrap();
    assert_eq!(contracts, [Contract::new("create_refund").max_calls(3).evaluate()]);
    let odd = testing::settings::<SpendingLimit>(
        &json!({"tools": {"x": {"amount": "amount", "per_call": 1, "calls": 1}}}),
    );
    assert!(SpendingLimit::contracts(&server("x"), &listed, &odd.unwrap()).is_err());
}
