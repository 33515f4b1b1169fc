use super::*;

/// Hands out its bytes in pieces of a given size.
struct Pieces(Vec<u8>, usize);
impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(self.0.len()).min(to.len());
        to[..n].copy_from_slice(&self.0[..n]);
        self.0.drain(..n);
        Ok(n)
    }
}

fn all(input: &[u8], piece: usize, limit: usize) -> Vec<(bool, Vec<u8>)> {
    let mut frames = Frames::new(Pieces(input.to_vec(), piece), limit);
    let mut out = Vec::new();
    while let Some(frame) = frames.next_line().unwrap() {
        out.push(match frame {
            Frame::Line(l) => (true, l.to_vec()),
            Frame::TooLong(l) => (false, l.to_vec()),
        });
    }
    out
}

#[test]
fn lines_do_not_depend_on_how_the_bytes_arrive() {
    let input = "{\"a\":\"é\"}\n\nsecond\nlast without newline".as_bytes();
    let whole = all(input, usize::MAX, 1000);
    assert_eq!(whole.len(), 4);
    assert_eq!(whole[3].1, b"last without newline");
    for piece in 1..12 {
        assert_eq!(all(input, piece, 1000), whole);
    }
}

#[test]
fn a_long_line_is_cut_and_the_next_one_is_read() {
    let mut input = vec![b'x'; 500_000];
    input.extend_from_slice(b"\nok\n");
    for piece in [7, 4096, usize::MAX] {
        let lines = all(&input, piece, 1000);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], (false, vec![b'x'; 1001]));
        assert_eq!(lines[1], (true, b"ok".to_vec()));
    }
    assert_eq!(all(&[b'y'; 1000], 3, 1000), vec![(true, vec![b'y'; 1000])]);
}

#[test]
fn seventeen_mebibytes_arrive_whole() {
    let mut input = vec![b'z'; 17 << 20];
    input.push(b'\n');
    let lines = all(&input, 65_536, 64 << 20);
    assert_eq!(lines[0].1.len(), 17 << 20);
}
