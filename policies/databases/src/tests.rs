use super::*;
use bouncer_guest::testing::{call, json, server, tool};

fn codes(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Databases::evaluate(&call(tool, arguments), &[], &Settings {}).unwrap();
    judgement.findings().iter().map(|found| format!("{} at {}", found.code(), found.argument())).collect()
}

#[test]
fn reads_of_documents_pass() {
    for (tool, arguments) in [
        ("find", json!({"filter": {"a": {"$gt": 1}, "out": "$out"}, "projection": {"b": "$outcome"}})),
        ("count", json!({"query": {"text": "what is $where?"}})),
        ("aggregate", json!({"pipeline": [{"$group": {"_id": "$merged", "n": {"$sum": "$output"}}}]})),
        (
            "aggregate",
            json!({"pipeline": [{"$lookup": {"from": "c", "pipeline": [{"$match": {"a": 1}}], "as": "x"}}]}),
        ),
        (
            "explain",
            json!({"method": [{"name": "find", "arguments": {"filter": {"a": 1}}}], "verbosity": "queryPlanner"}),
        ),
        ("export", json!({"exportTarget": [{"name": "find", "arguments": {"filter": {}}}]})),
        ("update-many", json!({"filter": {"_id": 1}, "update": {"$set": {"a": 1}}})),
        ("delete-many", json!({"filter": {"$and": [{"a": 1}, {"b": 2}]}})),
        ("describe_table", json!({"table_name": "größe_2 x"})),
        ("describe_table_schema", json!({"params": {"tableName": "public.\"Users\"", "projectId": "p"}})),
    ] {
        assert_eq!(codes(tool, arguments.clone()), [""; 0], "{tool} {arguments}");
    }
}

#[test]
fn what_writes_or_runs_code_in_a_read_is_asked_about() {
    for (tool, arguments, found) in [
        ("find", json!({"filter": {"$where": "sleep(9)"}}), "runs_code at /filter"),
        ("find", json!({"filter": "{\"$where\": \"1\"}"}), "runs_code at /filter"),
        ("find", json!({"filter": {"$expr": {"$function": {"body": "x"}}}}), "runs_code at /filter"),
        ("find", json!({"projection": {"a": {"$function": {"body": "x"}}}}), "runs_code at /projection"),
        ("count", json!({"query": {"$or": [{"a": 1}, {"$where": "1"}]}}), "runs_code at /query"),
        (
            "explain",
            json!({"method": [{"name": "aggregate", "arguments": {"pipeline": [{"$out": "x"}]}}]}),
            "pipeline_writes at /method",
        ),
        (
            "export",
            json!({"exportTarget": [{"name": "aggregate", "arguments": {"pipeline": [{"$merge": {"into": "x"}}]}}]}),
            "pipeline_writes at /exportTarget",
        ),
        (
            "aggregate",
            json!({"pipeline": [{"$lookup": {"from": "c", "pipeline": [{"$match": {"$where": "1"}}]}}]}),
            "runs_code at /pipeline",
        ),
        (
            "aggregate",
            json!({"pipeline": [{"$group": {"a": {"$accumulator": {}}}}]}),
            "runs_code at /pipeline",
        ),
        ("delete-many", json!({"filter": {"a": 1, "$where": "1"}}), "runs_code at /filter"),
        (
            "update-many",
            json!({"filter": {"a": 1}, "update": [{"$set": {"b": {"$function": {}}}}]}),
            "runs_code at /update",
        ),
        ("delete-many", json!({"filter": {"$comment": "x"}}), "everything at /filter"),
        ("delete-many", json!({"filter": {"$or": [{}, {"$comment": "x"}]}}), "everything at /filter"),
        ("delete-many", json!({"filter": {"$or": [{"a": 1}, {}]}}), "everything at /filter"),
        ("update-many", json!({"update": {"$set": {"a": 1}}}), "everything at /filter"),
        ("describe_table", json!({"table_name": "t); drop table u"}), "unclear_sql at /table_name"),
        (
            "describe_table_schema",
            json!({"params": {"tableName": "x' or 'a'='a"}}),
            "unclear_sql at /params/tableName",
        ),
        ("query", json!({"sql": "explain analyze delete from t"}), "writes at /sql"),
        (
            "query",
            json!({"sql": "explain (analyze, verbose) with d as (delete from t returning *) select 1"}),
            "writes at /sql",
        ),
        ("read_query", json!({"query": "select * from fsdir where path = '/'"}), "leaves_database at /query"),
        ("write_query", json!({"query": "delete from t -- where"}), "everything at /query"),
        ("write_query", json!({"query": "delete from t where 1"}), "everything at /query"),
    ] {
        assert_eq!(codes(tool, arguments.clone()), [found], "{tool} {arguments}");
    }
}

#[test]
fn the_tools_that_take_such_values_are_evaluated() {
    let names =
        ["aggregate", "aggregate-db", "count", "explain", "export", "find", "delete-many", "update-many"];
    let listed = names.map(|name| tool(name, &["connectionId"]));
    let contracts = Databases::contracts(&server("mongodb-mcp-server"), &listed, &Settings {}).unwrap();
    assert_eq!(contracts.len(), names.len());
    assert!(contracts.iter().all(Contract::wants_evaluate));
}
