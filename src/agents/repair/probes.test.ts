import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { insertProbes, regionTable } from './probes.ts'
import { computeSuspicion, isHit } from './rank.ts'
import { parseSource, type SourceFile } from './source-file.ts'

function parsed(text: string): SourceFile {
  const file = parseSource('a.js', text)
  if (file === undefined) throw new Error('It is no JavaScript.')
  return file
}

/** Runs code with counters; returns what was counted, as pieces of the code. */
function ranIn(text: string): { readonly value: unknown; readonly ran: readonly string[] } {
  const { code, regions } = insertProbes(parsed(text), 0)
  const hits: number[] = []
  const value: unknown = runInNewContext(code, { __loopwright: hits })
  const ran = regions.filter((_, index) => hits[index] === 1)
  return { value, ran: ran.map(({ start, end }) => text.slice(start, end)) }
}

test.each([
  ['var f = (a) => ({ a }); f(1).a', 1],
  ['var x = 0\nif (x) x = 1\nelse x = 2\nx', 2],
  ['var r = []; outer: for (var i of [1, 2]) for (;;) { r.push(i); continue outer }; r.length', 2],
  ["'use strict'; (function () { 'use strict'; return this === undefined })()", true],
  ['var a = 1\n;[2].forEach((b) => a += b)\na', 3],
  ['var o = { m() { return this.v }, v: 4 }; (o && o.m()) || 0', 4],
  ['var n = 0; do n++; while (n < 3)\nn', 3],
  ['switch (2) { case 1: 7; break; case 2: 8 }', 8],
  ['var y = false ? 1 : true ? (2, 3) : 4; y', 3],
  ['class A { static b = 5; c() { return A.b } }; new A().c()', 5],
  ['var z = null ?? (() => 6)(); z', 6],
])('counters do not change the result of %j', (text, value) => {
  expect(ranIn(text).value).toBe(value)
})

test('branches that were not taken are not counted', () => {
  const { ran } = ranIn('var a = true && 1\nif (a) 2; else 3\nfalse && 4\na ? 5 : 6')
  expect(ran).toEqual(expect.arrayContaining(['1', '2;', '5']))
  expect(ran).not.toEqual(expect.arrayContaining(['3']))
  expect(ran).not.toEqual(expect.arrayContaining(['4']))
  expect(ran).not.toEqual(expect.arrayContaining(['6']))
})

test('an offset belongs to the innermost region around it', () => {
  const text = 'function f(a) { return a ? 11 : 22 }'
  const file = parsed(text)
  const { regions } = insertProbes(file, 5)
  const table = regionTable(text.length, regions, 5)
  const regionAt = (piece: string): string => {
    const region = regions[(table[text.indexOf(piece)] ?? 0) - 5]
    return text.slice(region?.start, region?.end)
  }
  expect([regionAt('11'), regionAt('22'), regionAt('a ?')]).toEqual([
    '11',
    '22',
    'return a ? 11 : 22',
  ])
})

test('what only failing tests run is the most suspicious', () => {
  const bits = (...probes: number[]): Uint8Array => {
    const hits = new Uint8Array(1)
    for (const one of probes) hits[0] = (hits[0] ?? 0) | (1 << one)
    return hits
  }
  const tests = [
    { ok: false, hits: bits(0, 1) },
    { ok: true, hits: bits(0) },
    { ok: true, hits: bits(0, 2) },
  ]
  expect([...computeSuspicion(tests, 3)].map((score) => Number(score.toFixed(2)))).toEqual([
    0.58, 1, 0,
  ])
  expect(isHit(bits(2), 2)).toBe(true)
})
