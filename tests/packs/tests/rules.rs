//! The example rules: each one's `cases.toml` natively and as Wasm, and what its README says of it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use bouncer::sandbox::Sandbox;
use common::{Case, Said, natively, run};

const RULES: [(&str, fn(&Case) -> Said); 6] = [
    ("protected-branches", natively::<bouncer_rule_protected_branches::ProtectedBranches>),
    ("read-only-sql", natively::<bouncer_rule_read_only_sql::ReadOnlySql>),
    ("secrets", natively::<bouncer_rule_secrets::Secrets>),
    ("shell-network", natively::<bouncer_rule_shell_network::ShellNetwork>),
    ("spending-limit", natively::<bouncer_rule_spending_limit::SpendingLimit>),
    ("url-limits", natively::<bouncer_rule_url_limits::UrlLimits>),
];

fn folder(rule: &str) -> std::path::PathBuf {
    bouncer_pack_tests::root().join("policies").join(format!("rule-{rule}"))
}

fn component(rule: &str) -> Vec<u8> {
    let module = bouncer_artifacts::core_module(&format!("bouncer-rule-{rule}")).unwrap();
    bouncer::sandbox::component::from_core_module(module).unwrap()
}

#[test]
fn every_case_holds_natively_and_as_wasm() {
    let sandbox = Sandbox::new(None).unwrap();
    for (rule, native) in RULES {
        let module = sandbox.load(rule, &component(rule)).unwrap();
        run(&module, &folder(rule).join("cases.toml"), true, Some(native));
    }
}

#[test]
fn each_has_a_readme_of_at_most_forty_lines_that_knows_its_size() {
    for (rule, _) in RULES {
        let readme = std::fs::read_to_string(folder(rule).join("README.md")).unwrap();
        assert!(readme.lines().count() <= 40, "{rule}: {} lines", readme.lines().count());
        let size = component(rule).len();
        let said = readme.split(" KB").next().and_then(|text| text.rsplit(' ').next()).unwrap();
        let said: usize =
            said.parse().unwrap_or_else(|_| panic!("{rule}: the README says no size; it is {size} bytes"));
        // A new compiler moves it a little.
        let near = |size: usize| (said * 900..=said * 1100).contains(&size);
        assert!(near(size), "{rule}: the README says {said} KB, and it is {size} bytes");
    }
}
