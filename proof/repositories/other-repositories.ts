/** Repositories of Python, Go and Rust. */

import type { Repository } from './repository.ts'

/** What its tests need in `.venv`, as CONTRIBUTING files say, and the project as `flit install --pth-file` has it. */
const venv = (sources: string, ...packages: readonly string[]): readonly (readonly string[])[] => {
  const link = `import os, sysconfig; open(os.path.join(sysconfig.get_path('purelib'), 'project.pth'), 'w').write(os.path.abspath('${sources}'))`
  return [
    ['python3', '-m', 'venv', '.venv'],
    ...(packages.length === 0 ? [] : [['.venv/bin/pip', 'install', '--quiet', ...packages]]),
    ['.venv/bin/python', '-c', link],
  ]
}

export const otherRepositories: readonly Repository[] = [
  {
    name: 'pallets/itsdangerous',
    commit: '672971d66a2ef9f85151e53283113f33d642dabd',
    manager: 'uv',
    runner: 'pytest',
    check: 'pytest',
    prepare: venv('src', 'pytest', 'freezegun'),
    fault: {
      file: 'src/itsdangerous/encoding.py',
      good: 'string += b"=" * (-len(string) % 4)',
      bad: 'string += b"=" * (len(string) % 2)',
    },
    test: {
      file: 'tests/test_itsdangerous/test_padding.py',
      text: `from itsdangerous.encoding import base64_decode


def test_padding_is_added():
    assert base64_decode("YWI") == b"ab"
    assert base64_decode("YQ") == b"a"
`,
    },
    docs: { file: 'README.md', line: 'Missing padding is added when decoding.' },
  },
  {
    name: 'sdispater/tomlkit',
    commit: '911cccd630965ff423316e25b4685ecf7df0ec0a',
    manager: 'poetry',
    runner: 'pytest',
    check: 'pytest --noconftest tests/test_utils*.py',
    reduced: 'the other files need cases from a submodule',
    prepare: venv('.', 'pytest'),
    fault: {
      file: 'tomlkit/_utils.py',
      good: 'hour_offset * 3600 + minute_offset * 60',
      bad: 'hour_offset * 60 + minute_offset * 60',
    },
    test: {
      file: 'tests/test_utils_offset.py',
      text: `from datetime import timedelta

from tomlkit._utils import parse_rfc3339


def test_offset_in_hours():
    parsed = parse_rfc3339("1979-05-27T07:32:00+01:30")
    assert parsed.utcoffset() == timedelta(hours=1, minutes=30)
`,
    },
    docs: { file: 'README.md', line: 'Offsets of times are kept.' },
  },
  {
    name: 'hukkin/tomli',
    commit: '920e20b1cf495b63f6d4a6aa3cd5e4ff25f5f5a7',
    manager: 'pip, no lockfile',
    runner: 'unittest',
    check: 'python -m unittest',
    prepare: venv('src'),
    fault: {
      file: 'src/tomli/_parser.py',
      good: 'if src.startswith("true", pos):\n            return pos + 4, True',
      bad: 'if src.startswith("true", pos):\n            return pos + 4, False',
    },
    test: {
      file: 'tests/test_true.py',
      text: `import unittest

from . import tomllib


class TestTrue(unittest.TestCase):
    def test_true(self):
        self.assertIs(tomllib.loads("a = true")["a"], True)
`,
    },
    docs: { file: 'README.md', line: 'Booleans are booleans of Python.' },
  },
  {
    name: 'tkem/cachetools',
    commit: '28d4506f2a49d781ffbcecb095fa7aba5bb80aff',
    manager: 'pip, no lockfile',
    runner: 'pytest',
    check: 'python3 -m pytest',
    prepare: venv('src', 'pytest'),
    fault: {
      file: 'src/cachetools/keys.py',
      good: 'key += tuple(type(v) for v in args)\n    return key',
      bad: 'return key',
    },
    test: {
      file: 'tests/test_typed_key.py',
      text: `import unittest

from cachetools.keys import typedkey


class TypedKeyTest(unittest.TestCase):
    def test_types_differ(self):
        self.assertNotEqual(typedkey(1), typedkey(1.0))
`,
    },
    docs: { file: 'README.rst', line: 'Typed keys tell 1 from 1.0.' },
  },
  {
    name: 'un33k/python-slugify',
    commit: '7b6d5d96c1995e6dccb39a19a13ba78d7d0a3ee4',
    manager: 'pip, no lockfile',
    runner: 'unittest',
    check: 'python -m unittest discover -p "test*.py"',
    prepare: venv('.', 'text-unidecode'),
    fault: {
      file: 'slugify/slugify.py',
      good: "QUOTE_PATTERN = re.compile(r'[\\']+')",
      bad: "QUOTE_PATTERN = re.compile(r'[\\\"]+')",
    },
    test: {
      file: 'test_quotes.py',
      text: `import unittest

from slugify import slugify


class TestQuotes(unittest.TestCase):
    def test_quotes_of_transliterations_are_dropped(self):
        self.assertEqual(slugify("Компьютер"), "kompiuter")
`,
    },
    docs: { file: 'README.md', line: 'Quotes of transliterations are dropped.' },
  },
  {
    name: 'google/uuid',
    commit: '2d3c2a9cc518326daf99a383f07c4d3c44317e4d',
    manager: 'go',
    runner: 'go test',
    check: 'go test ./...',
    fault: {
      file: 'node.go',
      good: 'copy(node[:], uuid[10:])',
      bad: 'copy(node[:], uuid[9:])',
    },
    test: {
      file: 'node_bytes_test.go',
      text: `package uuid

import "testing"

func TestNodeBytes(t *testing.T) {
	id := Must(Parse("00000000-0000-0000-0000-0102030405ff"))
	if node := id.NodeID(); node[0] != 1 || node[5] != 0xff {
		t.Errorf("got %v", node)
	}
}
`,
    },
    docs: { file: 'README.md', line: 'A node has six bytes.' },
  },
  {
    name: 'spf13/pflag',
    commit: '5fdac2d16c16d60605cb8baa887e8c5c38ef623f',
    manager: 'go',
    runner: 'go test',
    check: 'go test ./...',
    fault: {
      file: 'string_slice.go',
      good: '*s.value = append(*s.value, v...)',
      bad: '*s.value = append((*s.value)[:0], v...)',
    },
    test: {
      file: 'string_slice_twice_test.go',
      text: `package pflag

import "testing"

func TestStringSliceTwice(t *testing.T) {
	f := NewFlagSet("test", ContinueOnError)
	got := f.StringSlice("s", nil, "")
	if err := f.Parse([]string{"--s=a", "--s=b"}); err != nil || len(*got) != 2 {
		t.Errorf("got %v, %v", *got, err)
	}
}
`,
    },
    docs: { file: 'README.md', line: 'A slice flag can be given several times.' },
  },
  {
    name: 'servo/rust-fnv',
    commit: '4e55052a343a4372c191141f29a17ab829cf1dbc',
    manager: 'cargo',
    runner: 'cargo test',
    check: 'cargo test',
    fault: {
      file: 'lib.rs',
      good: 'hash ^= u64::from(*byte);\n            hash = hash.wrapping_mul(PRIME);',
      bad: 'hash = hash.wrapping_mul(PRIME);\n            hash ^= u64::from(*byte);',
    },
    test: {
      file: 'tests/one_byte.rs',
      text: `use std::hash::Hasher;

#[test]
fn hashes_one_byte() {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(b"a");
    assert_eq!(hasher.finish(), 0xaf63_dc4c_8601_ec8c);
}
`,
    },
    docs: { file: 'README.md', line: 'The hash is FNV-1a.' },
  },
]
