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
fn how_often_is_the_contracts_matter() {
    let listed = [tool("create_refund", &["amount"]), tool("get_balance", &[])];
    let contracts = SpendingLimit::contracts(&server("x"), &listed, &settings()).unwrap();
    assert_eq!(contracts, [Contract::new("create_refund").max_calls(3).evaluate()]);
    let odd = testing::settings::<SpendingLimit>(
        &json!({"tools": {"x": {"amount": "amount", "per_call": 1, "calls": 1}}}),
    );
    assert!(SpendingLimit::contracts(&server("x"), &listed, &odd.unwrap()).is_err());
}
