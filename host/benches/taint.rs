//! All that is known of one destination, in a session that has read 10 MB: one that stands in a text, and one that was
//! never seen. And what recording one answer of 10 kB costs.
#![allow(clippy::unwrap_used, missing_docs)]

use bouncer_core::destination::{Destination, Kind, read};
use bouncer_core::provenance::{Index, Source};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const WORDS: [&str; 16] = [
    "the", "meeting", "notes", "are", "attached", "please", "review", "before", "Friday", "thanks",
    "project", "status", "customer", "invoice", "delivery", "again",
];
const ANSWER: usize = 10_000;
const ANSWERS: usize = 1_000;

/// Text like that of mails, the same in every run.
fn answer(number: usize) -> String {
    let mut seed = number as u64 + 1;
    let mut below = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let mut text = format!("Please write to person{number}@seen.example today. ");
    while text.len() < ANSWER {
        match below(20) {
            0 => text.push_str(&format!("user{}@host{}.example", below(90_000), below(9_000))),
            1 => text.push_str(&format!("https://site{}.example/p/{}", below(9_000), below(90_000))),
            2 => text.push_str(&below(90_000).to_string()),
            n => text.push_str(WORDS.get(n as usize % WORDS.len()).unwrap()),
        }
        text.push(if below(12) == 0 { '\n' } else { ' ' });
    }
    text
}

fn address(text: &str) -> Destination {
    read(Kind::Email, text, "/to").pop().unwrap()
}

fn taint(criterion: &mut Criterion) {
    let source = Source { server: "mail".into(), tool: "read_email".into() };
    let mut index = Index::new();
    for number in 0..ANSWERS {
        index.record_text(&source, &answer(number), &[]);
    }
    let (hit, novel) = (address("person900@seen.example"), address("zyqxv@kjhgw.example"));
    assert!(index.evidence(&hit).text.is_some());
    assert!(index.evidence(&novel).text.is_none());
    criterion.bench_function("taint/hit in 10 MB", |b| b.iter(|| index.evidence(&hit)));
    criterion.bench_function("taint/novel in 10 MB", |b| b.iter(|| index.evidence(&novel)));

    let text = answer(ANSWERS);
    let mut group = criterion.benchmark_group("taint");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("record 10 kB", |b| {
        b.iter_batched(
            Index::new,
            |mut empty| {
                empty.record_text(&source, &text, &[]);
                empty
            },
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, taint);
criterion_main!(benches);
