import { describe, expect, test } from 'vitest'
import { collectReport } from './collect-report.ts'

const bytes = (...records: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode(
    records.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''),
  )

const hello = (pid: number): object => ({ type: 'hello', pid, thread: 0, argv: ['node'] })
const runner = { type: 'runner', name: 'node:test' }
const end = { type: 'end', code: 0 }
const passed = (...titles: readonly string[]): object => ({
  type: 'test',
  file: '/top/a.test.js',
  titles,
  status: 'passed',
})

const createCollector = (limits?: { connections: number; records: number; bytes: number }) =>
  collectReport((file) => file.replace('/top/', ''), limits)

describe('the report of a run', () => {
  test('has no tests, rather than an empty list, if no runner reported', () => {
    const collector = createCollector()
    collector.connect().push(bytes(hello(2), end))
    expect(collector.report()).toEqual({ runners: [], problems: [], replaced: [] })
  })

  test('lists tests with unique ids, in order', () => {
    const collector = createCollector()
    const failed = { ...passed('s', 'y'), status: 'failed', message: 'x'.repeat(400) }
    collector
      .connect()
      .push(bytes(hello(2), runner, passed('s', 'x'), passed('s', 'x'), failed, end))
    const { tests, runners, problems } = collector.report()
    expect(tests?.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a.test.js > s > x passed',
      'a.test.js > s > x #2 passed',
      'a.test.js > s > y failed',
    ])
    expect(tests?.[2]?.message).toHaveLength(300)
    expect(runners).toEqual([{ name: 'node:test', exitCode: 0 }])
    expect(problems).toEqual([])
  })

  test('says where an inherited test is written, if that is in the tree', () => {
    const collector = createCollector()
    const body = { file: '/top/base.test.js', titles: ['b', 'x'] }
    const outside = { ...body, file: '' }
    collector
      .connect()
      .push(
        bytes(hello(2), runner, { ...passed('x'), body }, { ...passed('y'), body: outside }, end),
      )
    expect(collector.report().tests?.map((one) => one.body)).toEqual([
      { file: 'base.test.js', titles: ['b', 'x'] },
      undefined,
    ])
  })

  test('counts a declared test without a result as skipped', () => {
    const collector = createCollector()
    const declared = (title: string) => ({ ...passed(title), type: 'declared' })
    collector
      .connect()
      .push(bytes(hello(2), runner, declared('x'), declared('y'), passed('y'), end))
    expect(collector.report().tests?.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a.test.js > y passed',
      'a.test.js > x skipped',
    ])
  })

  test('contains the last replaced functions of each process', () => {
    const collector = createCollector()
    const replaced = (...names: readonly string[]) => ({ type: 'replaced', names })
    collector.connect().push(bytes(hello(2), replaced('setTimeout'), replaced(), end))
    collector.connect().push(bytes(hello(3), replaced('Object.is')))
    expect(collector.report().replaced).toEqual(['Object.is'])
  })

  test.each([
    ['no hello', [[runner, passed('x'), end]], 'extra-connection'],
    ['nothing at all', [[]], 'extra-connection'],
    [
      'a second connection of one process',
      [[hello(2), runner, end], [hello(2)]],
      'extra-connection',
    ],
    ['a second hello', [[hello(2), runner, hello(2), end]], 'extra-connection'],
    ['tests without a runner', [[hello(2), passed('x'), end]], 'malformed'],
    ['invalid JSON', [[hello(2), runner, '{', end]], 'malformed'],
    ['an unknown status', [[hello(2), runner, { ...passed('x'), status: 'fine' }]], 'malformed'],
    ['a long line', [[hello(2), 'x'.repeat(70_000)]], 'malformed'],
    ['a runner without an end', [[hello(2), runner, passed('x')]], 'no-end'],
    ['too many records', [[hello(2), runner, passed('x'), passed('y'), end]], 'too-much'],
    ['too many connections', [[hello(2), end], [hello(3), end], [hello(4)]], 'too-much'],
  ] as const)('has a problem with %s', (_name, connections, code) => {
    const collector = createCollector({ connections: 2, records: 4, bytes: 100_000 })
    for (const records of connections) collector.connect().push(bytes(...records))
    expect(collector.report().problems.map((problem) => problem.code)).toContain(code)
  })

  test('is assembled from arbitrary pieces', () => {
    const collector = createCollector()
    const whole = bytes(hello(2), runner, passed('ü'), end)
    const connection = collector.connect()
    for (const byte of whole) expect(connection.push(Uint8Array.of(byte))).toBe(true)
    expect(collector.report().tests?.[0]?.id).toBe('a.test.js > ü')
  })
})
