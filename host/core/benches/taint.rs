//! Recording and look-up, against a plain scan of the same text in the same run.
//!
//! `cargo bench -p bouncer-core --bench taint`; `BOUNCER_BENCH_MB=105` for more than the 10 MB it takes otherwise.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    missing_docs
)]

use bouncer_core::destination::{Kind, read};
use bouncer_core::provenance::{Digest, Index, Source};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

const WORDS: [&str; 24] = [
    "the", "meeting", "notes", "are", "attached", "please", "review", "before", "Friday", "thanks", "and",
    "regards", "project", "status", "of", "in", "with", "customer", "invoice", "delivery", "we", "will",
    "call", "again",
];

struct Random(u64);
impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

/// Ten kilobytes as servers send them: words, of which one in ten is an address, a link, an id, a number or a path.
fn output(r: &mut Random, accents: bool) -> String {
    let mut text = String::new();
    while text.len() < 10_000 {
        match r.next(100) {
            0..4 => text.push_str(&format!("user{}@host{}.example", r.next(90_000), r.next(9_000))),
            4..6 => text.push_str(&format!(
                "https://site{}.example/{:x}?q={}",
                r.next(9_000),
                r.next(1 << 32),
                r.next(100_000)
            )),
            6 => text.push_str(&format!(
                "{:08x}-{:04x}-4{:03x}",
                r.next(1 << 31),
                r.next(1 << 16),
                r.next(1 << 12)
            )),
            7 => text.push_str(&r.next(100_000_000).to_string()),
            8 => text.push_str(&format!("/srv/data{}/file{}.txt", r.next(100), r.next(9_000))),
            _ if accents && r.next(20) == 0 => text.push_str("\u{e9}t\u{e9}"),
            _ => text.push_str(WORDS[r.next(WORDS.len())]),
        }
        text.push_str(match r.next(20) {
            0 => "\n",
            1 => ", ",
            _ => " ",
        });
    }
    text
}

fn p50(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let t = Instant::now();
            run();
            t.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[10]
}

fn main() {
    let mb: usize = std::env::var("BOUNCER_BENCH_MB").ok().and_then(|m| m.parse().ok()).unwrap_or(10);
    let mut r = Random(1);
    let source = Source { server: "mail".into(), tool: "read".into() };
    let mut index = Index::with_cap(u64::MAX);
    let mut outputs = Vec::new();
    for (name, accents) in [("with accents", true), ("ascii", false)] {
        outputs = (0..mb * 100).map(|_| output(&mut r, accents)).collect::<Vec<_>>();
        index = Index::with_cap(u64::MAX);
        let t = Instant::now();
        for o in &outputs {
            index.record_text(&source, o, &[]);
        }
        let seconds = t.elapsed().as_secs_f64();
        let bytes: usize = outputs.iter().map(String::len).sum();
        let rate = |seconds: f64| bytes as f64 / 1e6 / seconds;
        println!("record, {name}, one thread: {:.0} MB/s of {} MB", rate(seconds), bytes / 1_000_000);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
        println!("record, {name}, {threads} threads: {:.0} MB/s", rate(together(&outputs, &source, threads)));
    }
    let arena = outputs.join("\0").to_lowercase();
    let hit =
        outputs[outputs.len() * 9 / 10].split_whitespace().find(|w| w.contains('@')).unwrap().to_owned();
    let half = outputs[3].split_whitespace().find(|w| w.contains('@')).unwrap();
    let near = format!("{}@{}", hit.split('@').next().unwrap(), half.split('@').nth(1).unwrap());
    for (name, value) in [("hit", hit.as_str()), ("novel", "zyqxv@kjhgw.example"), ("near", near.as_str())] {
        let d = read(Kind::Email, value, "/to").remove(0);
        let evidence = p50(|| {
            black_box(index.evidence(&d));
        });
        beside_a_scan(&format!("{name}, all evidence"), value, &arena, evidence);
        look_up(name, value, &arena, &index);
    }
    // Pieces of what was recorded late, and the same with other letters at the end.
    let place = arena.find(&hit).unwrap();
    for len in [6, 7, 8, 16, 32, 100] {
        let piece = arena[place..place + 200].replace('\0', " ").chars().take(len).collect::<String>();
        look_up(&format!("{len} bytes, piece of a text"), &piece, &arena, &index);
        let near: String = piece.chars().take(len - 2).chain("q7".chars()).collect();
        look_up(&format!("{len} bytes, near"), &near, &arena, &index);
        look_up(&format!("{len} bytes, novel"), &"zqxjvkwypfzqxwjvkzpfq".repeat(5)[..len], &arena, &index);
    }
    hostile(mb);
}

/// How many seconds it takes to record answers as a session does with what waits: digested by some threads, some megabytes
/// at a time, and added in their order.
fn together(outputs: &[String], source: &Source, threads: usize) -> f64 {
    const TOGETHER: usize = 1600;
    let mut index = Index::with_cap(u64::MAX);
    let t = Instant::now();
    for some in outputs.chunks(TOGETHER) {
        let next = AtomicUsize::new(0);
        let digests: Vec<OnceLock<Mutex<Digest>>> = some.iter().map(|_| OnceLock::new()).collect();
        let digest_next = || {
            let i = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < some.len())?;
            Some(digests[i].get_or_init(|| Mutex::new(Digest::of_text(&some[i], &[]))))
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| while digest_next().is_some() {});
            }
            let mut added = 0;
            while digest_next().is_some() || added < some.len() {
                while let Some(digest) = digests.get(added).and_then(OnceLock::get) {
                    index.add(source, std::mem::take(&mut digest.lock().unwrap()));
                    added += 1;
                }
            }
        });
    }
    black_box(&index);
    t.elapsed().as_secs_f64()
}

/// Text in which every block has all grams of the value and never the value: nothing can be passed over. It has no marks of
/// addresses, or what it decodes to would be searched as well.
fn hostile(mb: usize) {
    let value = "mallory-evil-corp-example";
    let decoy: String = (0..value.len() - 5).map(|i| format!("{} ", &value[i..i + 6])).collect();
    let text = decoy.repeat(10_000 / decoy.len());
    let source = Source { server: "mail".into(), tool: "read".into() };
    let mut index = Index::with_cap(u64::MAX);
    let mut arena = String::new();
    while arena.len() < mb * 1_000_000 {
        index.record_text(&source, &text, &[]);
        arena.push_str(&text);
        arena.push('\0');
    }
    look_up("hostile text", value, &arena, &index);
}

/// One look-up in the index.
fn look_up(name: &str, value: &str, arena: &str, index: &Index) {
    let took = p50(|| {
        black_box(index.holds(value));
    });
    beside_a_scan(name, value, arena, took);
}

fn beside_a_scan(name: &str, value: &str, arena: &str, took: f64) {
    let scan = p50(|| {
        black_box(memchr::memmem::find(arena.as_bytes(), value.as_bytes()));
    });
    println!("{name}: {took:.1} us, one scan {scan:.1} us, 1/{:.1}", scan / took);
}
