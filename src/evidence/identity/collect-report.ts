/**
 * Makes a report of what came over the connections of one run.
 *
 * 1. Each process connects once and says first which one it is. Another connection is a problem, as is a
 *    runner that reported and did not end.
 * 2. What comes in is limited: lines, records, bytes, connections.
 */

import { defined } from '../../loop/index.ts'
import type {
  ChannelProblem,
  ObservedRunner,
  ObservedTest,
  RunnerName,
  RunnerReport,
} from '../observe/observation.ts'
import {
  type HelloRecord,
  lineCharsMax,
  messageCharsMax,
  parseRecord,
  type RunnerRecord,
  type TestRecord,
} from './records.ts'

export interface ReportCollector {
  /** For a connection that was made. */
  connect(): ConnectionCollector
  report(): RunnerReport
}

export interface ConnectionCollector {
  /** False: no more is read. */
  push(chunk: Uint8Array): boolean
}

export interface ReportLimits {
  readonly connections: number
  readonly records: number
  readonly bytes: number
}

export const reportLimits: ReportLimits = {
  connections: 20_000,
  records: 500_000,
  bytes: 256 * 1024 ** 2,
}

interface Connection {
  hello: HelloRecord | undefined
  /** A problem with it is noted already. */
  isRefused: boolean
  readonly runners: Set<RunnerName>
  readonly tests: TestRecord[]
  replaced: readonly string[]
  exitCode: number | undefined
}

/** `toPath`: from a path inside to one from the top of the tree; `''`: it is not in the tree. */
export function collectReport(
  toPath: (file: string) => string,
  limits: ReportLimits = reportLimits,
): ReportCollector {
  const connections: Connection[] = []
  const problems = new Map<string, ChannelProblem>()
  const processes = new Set<string>()
  const used = { records: 0, bytes: 0 }
  const note = (code: ChannelProblem['code'], text: string): false => {
    problems.set(text, { code, text })
    return false
  }
  return {
    connect() {
      const connection: Connection = {
        hello: undefined,
        isRefused: false,
        runners: new Set(),
        tests: [],
        replaced: [],
        exitCode: undefined,
      }
      const isTooMany = connections.length >= limits.connections
      if (!isTooMany) connections.push(connection)
      const accept = (line: string): boolean => {
        used.records += 1
        if (used.records > limits.records) return note('too-much', tooMuch)
        const record = parseRecord(line)
        if (record === undefined) return note('malformed', 'A connection sent something unknown.')
        if (record.type === 'hello') {
          const key = `${record.pid} ${record.thread}`
          if (processes.has(key))
            return note('extra-connection', `A process connected twice: ${nameOf(record)}.`)
          processes.add(key)
          connection.hello = record
          return true
        }
        const { hello } = connection
        if (hello === undefined) return note('extra-connection', nameless)
        return follow(connection, record) || note('malformed', `${nameOf(hello)} is not a runner.`)
      }
      const lines = splitLines(accept, () => note('malformed', 'A connection sent a long line.'))
      return {
        push(chunk) {
          if (isTooMany) return note('too-much', 'Too many connections were made.')
          used.bytes += chunk.length
          if (used.bytes > limits.bytes) return note('too-much', tooMuch)
          connection.isRefused = !lines(chunk)
          return !connection.isRefused
        },
      }
    },
    report() {
      const all = [...problems.values()]
      for (const { hello, isRefused, runners, exitCode } of connections) {
        if (hello === undefined && !isRefused)
          all.push({ code: 'extra-connection', text: nameless })
        for (const name of exitCode === undefined ? runners : [])
          all.push({ code: 'no-end', text: `${name} did not report its end.` })
      }
      const runners = connections.flatMap(runnersOf)
      return {
        ...(runners.length === 0 ? {} : { tests: testsOf(connections, toPath) }),
        runners,
        problems: onceEach(all),
        replaced: [...new Set(connections.flatMap(({ replaced }) => replaced))].toSorted(),
      }
    },
  }
}

const tooMuch = 'More was reported than is read.'
const nameless = 'A connection did not say which process it is.'

/** False: only a runner reports tests. */
function follow(connection: Connection, record: Exclude<RunnerRecord, HelloRecord>): boolean {
  switch (record.type) {
    case 'runner':
      connection.runners.add(record.name)
      return true
    case 'declared':
    case 'test':
      if (connection.runners.size === 0) return false
      connection.tests.push(record)
      return true
    case 'replaced':
      connection.replaced = record.names
      return true
    case 'end':
      connection.exitCode = record.code
      return true
  }
}

function splitLines(
  accept: (line: string) => boolean,
  onLong: () => false,
): (chunk: Uint8Array) => boolean {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    if (lines.some((line) => line.length > lineCharsMax) || rest.length > lineCharsMax)
      return onLong()
    return lines.every(accept)
  }
}

/** For people: the program and its first arguments. */
const nameOf = ({ pid, argv }: HelloRecord): string => `${argv.slice(0, 3).join(' ')} (pid ${pid})`

const runnersOf = ({ runners, exitCode }: Connection): readonly ObservedRunner[] =>
  [...runners].map((name) => ({ name, ...defined({ exitCode }) }))

function onceEach(problems: readonly ChannelProblem[]): readonly ChannelProblem[] {
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()]
}

/** Tests that were declared and have no result count as skipped: something kept them from running. */
function testsOf(
  connections: readonly Connection[],
  toPath: (file: string) => string,
): readonly ObservedTest[] {
  const numbered = numberIds()
  // A report that a known runner writes as well names its tests a second time.
  const known = connections.filter(
    ({ runners, tests }) => !runners.has('junit') && tests.length > 0,
  )
  return (known.length > 0 ? known : connections).flatMap(({ tests }) => {
    const results = tests.filter((record) => record.type === 'test')
    const done = new Set(results.map(keyOf))
    const without = tests.filter((record) => record.type === 'declared' && !done.has(keyOf(record)))
    return [...results, ...without].map((record): ObservedTest => {
      const file = toPath(record.file)
      const id = numbered([file, ...record.titles].join(' > '))
      const { titles, body } = record
      const from = body === undefined ? '' : toPath(body.file)
      const named = {
        id,
        file,
        titles,
        ...(body === undefined || from === '' ? {} : { body: { ...body, file: from } }),
      }
      if (record.type === 'declared')
        return { ...named, status: 'skipped', message: 'No result was reported.' }
      const { status, message } = record
      return {
        ...named,
        status,
        ...(message === undefined ? {} : { message: plain(message).slice(0, messageCharsMax) }),
      }
    })
  })
}

/** Without colours. */
const plain = (text: string): string => text.replaceAll(colour, '').trim()

// oxlint-disable-next-line no-control-regex
const colour = /\u001B\[[\d;]*[A-Za-z]/g

const keyOf = ({ file, titles }: TestRecord): string => JSON.stringify([file, ...titles])

/** The second of the same name ends in ` #2`. */
export function numberIds(): (id: string) => string {
  const seen = new Map<string, number>()
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id} #${count}`
  }
}
