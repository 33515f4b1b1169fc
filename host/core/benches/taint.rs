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

/// Values looked up for one row: what one of them takes depends on which blocks happen to have its rows.
const VALUES: usize = 21;

fn seconds(mut run: impl FnMut()) -> f64 {
    let t = Instant::now();
    run();
    t.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
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
    // From answers recorded late, so that a scan reads most of the text before it meets them.
    let addresses: Vec<String> = (0..VALUES)
        .map(|i| &outputs[outputs.len() * 8 / 10 + i * (outputs.len() / 10) / VALUES])
        .map(|o| o.split_whitespace().find(|w| w.contains('@')).unwrap().trim_end_matches(',').to_owned())
        .collect();
    let near: Vec<String> = (0..VALUES)
        .map(|i| {
            let domain = addresses[(i + 1) % VALUES].split('@').nth(1).unwrap();
            format!("{}@{domain}", addresses[i].split('@').next().unwrap())
        })
        .collect();
    let mut letters = |len: usize| (0..len).map(|_| char::from(b'a' + r.next(26) as u8)).collect::<String>();
    let novel: Vec<String> = (0..VALUES).map(|_| format!("{}@{}.example", letters(5), letters(5))).collect();
    for (name, values) in [("hit", &addresses), ("novel", &novel), ("near", &near)] {
        let evidence = |value: &str| {
            let destination = read(Kind::Email, value, "/to").remove(0);
            seconds(|| {
                black_box(index.evidence(&destination));
            })
        };
        beside_a_scan(&format!("{name}, all evidence"), values, &arena, evidence);
        look_up(name, values, &arena, &index);
    }
    // Pieces of what was recorded late, and the same with other letters at the end.
    for len in [6, 7, 8, 16, 32, 100] {
        let piece = |address: &String| {
            let place = arena.find(address).unwrap();
            arena[place..].replace('\0', " ").chars().take(len).collect::<String>()
        };
        let pieces: Vec<String> = addresses.iter().map(piece).collect();
        let near: Vec<String> = pieces.iter().map(|p| format!("{}q7", &p[..len - 2])).collect();
        let novel: Vec<String> = (0..VALUES).map(|_| letters(len)).collect();
        look_up(&format!("{len} bytes, piece of a text"), &pieces, &arena, &index);
        look_up(&format!("{len} bytes, near"), &near, &arena, &index);
        look_up(&format!("{len} bytes, novel"), &novel, &arena, &index);
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
    look_up("hostile text", &[value.to_owned()], &arena, &index);
}

/// One look-up in the index for each value.
fn look_up(name: &str, values: &[String], arena: &str, index: &Index) {
    beside_a_scan(name, values, arena, |value| {
        seconds(|| {
            black_box(index.holds(value));
        })
    });
}

/// Medians over the values, of each the best of three; the slowest look-up beside them.
fn beside_a_scan(name: &str, values: &[String], arena: &str, look: impl Fn(&str) -> f64) {
    let best = |value: &String| (0..3).map(|_| look(value)).fold(f64::MAX, f64::min) * 1e6;
    let took: Vec<f64> = values.iter().map(best).collect();
    let scan = median(
        values
            .iter()
            .map(|value| {
                let find = || {
                    black_box(memchr::memmem::find(arena.as_bytes(), value.as_bytes()));
                };
                seconds(find) * 1e6
            })
            .collect(),
    );
    let slowest = took.iter().copied().fold(0.0, f64::max);
    let p50 = median(took);
    println!("{name}: {p50:.1} us (slowest {slowest:.1}), one scan {scan:.1} us, 1/{:.1}", scan / p50);
}
