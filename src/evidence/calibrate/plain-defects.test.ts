import { describe, expect, test } from 'vitest'
import { findLanguageFamily, maskCode } from '../mask-code.ts'
import { plainDefectsIn } from './plain-defects.ts'

const pythonCode = `"""Prices < 3 and not more."""
from decimal import Decimal, MAX_PREC

def price(count, is_member):  # 3 < 4
    if count <= 0 or not is_member:
        return None
    total = count * 4
    if total is not None and total > 10:
        total -= 2
    return round(total, 2)
`
const goCode = `package price

import "fmt"

// 1 < 2
func Price(count int, member bool) int {
	if count < 1 || !member {
		fmt.Println("1 < 2")
		return 0
	}
	ch <- count
	return count*4 + 1
}
`
const rustCode = `use std::cmp::max;
#[derive(Clone)]
struct A<'a> { name: &'a str }
fn price(count: i64, member: bool) -> Option<i64> {
    if count < 1 && !member { return None; }
    println!("{}", r#"1 < 2"#);
    Some(max(count * 4, 2))
}
#[cfg(test)]
mod tests {
    #[test]
    fn one() { assert_eq!(price(1 + 1, true), Some(8)); }
}
`
const javaCode = `package a.b;
import java.util.List;
class Price {
  @Min(3)
  int price(int count, boolean member, List<String> names) {
    if (count >= 1 && !member) return count - 1; /* 3 < 4 */
    return member == true ? 'a' : names.size() + 1;
  }
}
`

const edits = (path: string, text: string): string[] =>
  plainDefectsIn({ path, text }).map(({ line, operator, description }) => {
    const [, after] = description.split(' → ')
    return `${line} ${operator}: ${after}`
  })

describe('plain defects', () => {
  test('Python', () => {
    expect(edits('a.py', pythonCode)).toEqual([
      '5 comparison: if count < 0 or not is_member:',
      '8 comparison: if total is not None and total >= 10:',
      '5 logic: if count <= 0 and not is_member:',
      '8 logic: if total is not None or total > 10:',
      '5 negation: if count <= 0 or is_member:',
      '7 arithmetic: total = count / 4',
      '9 arithmetic: total += 2',
      '5 number: if count <= 1 or not is_member:',
      '7 number: total = count * 5',
      '8 number: if total is not None and total > 11:',
      '9 number: total -= 3',
      '10 number: return round(total, 3)',
      '6 answer: return (None, None)[1]',
      '10 answer: return (round(total, 2), None)[1]',
    ])
  })

  test('Go', () => {
    expect(edits('a.go', goCode)).toEqual([
      '7 comparison: if count <= 1 || !member {',
      '7 logic: if count < 1 && !member {',
      '7 negation: if count < 1 || member {',
      '12 arithmetic: return count*4 - 1',
      '7 number: if count < 2 || !member {',
      '9 number: return 1',
      '12 number: return count*5 + 1',
      '12 number: return count*4 + 2',
    ])
  })

  test('Rust, but not its tests', () => {
    expect(edits('a.rs', rustCode)).toEqual([
      '5 comparison: if count <= 1 && !member { return None; }',
      '5 logic: if count < 1 || !member { return None; }',
      '5 negation: if count < 1 && member { return None; }',
      '7 arithmetic: Some(max(count / 4, 2))',
      '5 number: if count < 2 && !member { return None; }',
      '7 number: Some(max(count * 5, 2))',
      '7 number: Some(max(count * 4, 3))',
    ])
  })

  test('Java', () => {
    expect(edits('A.java', javaCode)).toEqual([
      '6 comparison: if (count > 1 && !member) return count - 1; /* 3 < 4 */',
      "7 equality: return member != true ? 'a' : names.size() + 1;",
      "7 boolean: return member == false ? 'a' : names.size() + 1;",
      '6 logic: if (count >= 1 || !member) return count - 1; /* 3 < 4 */',
      '6 negation: if (count >= 1 && member) return count - 1; /* 3 < 4 */',
      '6 arithmetic: if (count >= 1 && !member) return count + 1; /* 3 < 4 */',
      '6 number: if (count >= 2 && !member) return count - 1; /* 3 < 4 */',
      '6 number: if (count >= 1 && !member) return count - 2; /* 3 < 4 */',
      "7 number: return member == true ? 'a' : names.size() + 2;",
    ])
  })

  test('a changed return value in JavaScript is still computed', () => {
    const text = 'function f(a) {\n  return g(a);\n}\n'
    expect(edits('a.jsx', text)).toEqual(['2 answer: return void (g(a));'])
    // One that continues on the next line is left alone.
    expect(edits('a.jsx', 'function f(a) {\n  return g(\n    a,\n  )\n}\n')).toEqual([])
  })

  test('ignores other files and long ones', () => {
    expect(edits('a.md', 'a < b\n')).toEqual([])
    expect(edits('a.py', `x = 1 < 2\n${' '.repeat(300_000)}`)).toEqual([])
  })

  test('masked code has the same length', () => {
    const files = { 'a.py': pythonCode, 'a.go': goCode, 'a.rs': rustCode, 'A.java': javaCode }
    for (const [path, text] of Object.entries(files)) {
      const family = findLanguageFamily(path) ?? 'script'
      const masked = maskCode(family, text)
      expect(masked).toHaveLength(text.length)
      expect(masked.split('\n')).toHaveLength(text.split('\n').length)
    }
    expect(maskCode('script', 'a = /[/"]+/g.test(b) / c // "x"')).toBe(
      'a =         .test(b) / c       ',
    )
    expect(maskCode('script', 'a = `x ${"y"}` + "unended\n1')).toBe('a = `        ` + "      d\n1')
  })

  test('reads a hostile file in linear time', () => {
    const hostile = ['/*', '"', '`', "'", '(/[', '"""', 'r#"', 'if !=', 'equal(', '.a.a.a.a']
    for (const part of hostile) {
      const text = part.repeat(Math.floor(60_000 / part.length))
      for (const path of ['a.js', 'a.py', 'a.go', 'a.rs', 'a.java', 'a.rb']) {
        expect(plainDefectsIn({ path, text }).length).toBeLessThanOrEqual(2000)
      }
    }
  })
})
