"""The reader of Rust functions survives all that looks like a brace and is none."""

import textwrap

import pytest

from tests.house.rust_source import Function, blank_text, functions


@pytest.mark.parametrize(
    "text",
    [
        '"}"',
        r'"\"}"',
        r'"\\"',
        'b"}"',
        'c"{"',
        '"two\nlines }"',
        'r"}\\"',
        'r#"}"{"#',
        'br##"}"#}"##',
        "'}'",
        "b'{'",
        r"'\''",
        r"'\\'",
        r"'\u{7d}'",
        r"'\x7d'",
        "// }\n",
        "/* } */",
        "/* /* } */ { */",
        "/// it's }\n",
        '// an open quote: " }\n',
        '/* " } */',
        '"// }"',
        '"/* {"',
    ],
)
def test_text_is_blanked_and_nothing_behind_it(text: str) -> None:
    blanked = blank_text(f"let a = {text}; done()")
    assert not {"{", "}"} & set(blanked)
    assert blanked.endswith("; done()")
    assert blanked.count("\n") == text.count("\n")


@pytest.mark.parametrize("code", ["fn f<'a>(x: &'a str) {}", "'outer: loop {}", "impl<'a, 'b> T<'a> {}", "&'_ x"])
def test_a_lifetime_is_no_character(code: str) -> None:
    assert blank_text(code).replace(" ", "") == code.replace("'", "").replace(" ", "")


def test_an_identifier_that_ends_in_r_begins_no_raw_string() -> None:
    assert blank_text('for"}"') == "for   "


def test_functions_are_found_with_their_lines() -> None:
    source = textwrap.dedent("""\
        /// Not fn this_one() {}
        pub(crate) const fn one() -> char { '}' }

        impl<'a> Thing<'a> {
            #[inline]
            fn two<const N: usize>(
                &'a self, call: fn(u8) -> u8,
            ) -> [u8; { N + 1 }]
            where
                [(); { N + 1 }]: Sized,
            {
                let text = "fn three() {";
                async fn inner() {
                    // }
                }
                format!("{text} {{")
            }
        }

        trait Shape {
            fn without_body(&self, size: [u8; 4]);
            fn with_body(&self) {
            }
        }

        fn r#loop() {}
        """)
    assert list(functions(source)) == [
        Function("one", 2, 2),
        Function("two", 6, 17),
        Function("inner", 13, 15),
        Function("with_body", 22, 23),
        Function("loop", 26, 26),
    ]


def test_both_the_first_and_the_last_line_count() -> None:
    assert [function.line_count for function in functions("fn f() {\n}\n")] == [2]
