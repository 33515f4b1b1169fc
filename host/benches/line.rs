//! A line from the client: framed out of a stream, and scanned into a call that can be judged; 100 B and 10 kB.
#![allow(clippy::unwrap_used, missing_docs)]

use bouncer::frame::{Frame, Frames};
use bouncer_core::line::{ClientLine, Limits, scan};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Lines in one stream, so that reading is measured and not the making of a reader.
const LINES: usize = 100;

fn line(bytes: usize) -> Vec<u8> {
    let (head, tail) = (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":""#,
        r#""}}}"#,
    );
    let filler = bytes.saturating_sub(head.len() + tail.len());
    format!("{head}{}{tail}", "words and \\n ".chars().cycle().take(filler / 12 * 12).collect::<String>())
        .into_bytes()
}

fn lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("line");
    for bytes in [100, 10_000] {
        let line = line(bytes);
        assert!(matches!(scan(line.clone(), &Limits::default()), Ok(ClientLine::Call(_))));
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_with_input(BenchmarkId::new("scan", bytes), &line, |b, line| {
            b.iter_batched(
                || line.clone(),
                |line| scan(line, &Limits::default()).unwrap(),
                BatchSize::SmallInput,
            );
        });
        let stream = [line.as_slice(), b"\n"].concat().repeat(LINES);
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_with_input(BenchmarkId::new("frame 100 lines", bytes), &stream, |b, stream| {
            b.iter(|| {
                let mut frames = Frames::new(stream.as_slice(), 64 << 20);
                let mut seen = 0;
                while let Some(Frame::Line(_)) = frames.next_line().unwrap() {
                    seen += 1;
                }
                assert_eq!(seen, LINES);
            });
        });
    }
}

criterion_group!(benches, lines);
criterion_main!(benches);
