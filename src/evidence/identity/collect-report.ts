/**
 * Collects the report that test runners send over the connections of one run.
 *
 * 1. Each process connects once and identifies itself first. Further connections are a problem, as is a runner that
 *    reported tests but not its end.
 * 2. Input is limited: lines, records, bytes, connections.
 */

import { defined } from '../../loop/index.ts'
import type {
  ChannelProblem,
  FileLook,
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
  /** Call it for each connection. */
  connect(): ConnectionCollector
  report(): RunnerReport
}

export interface ConnectionCollector {
  /** False: stop reading. */
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
  /** A problem with it was recorded. */
  isRefused: boolean
  readonly runners: Set<RunnerName>
  readonly tests: TestRecord[]
  replaced: readonly string[]
  readonly looked: FileLook[]
  exitCode: number | undefined
}

/** `toPath`: from a path in the sandbox to one relative to the tree; `''`: not in the tree. */
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
      const connection = newConnection()
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
            return note(
              'extra-connection',
              `A process connected twice: ${describeProcess(record)}.`,
            )
          processes.add(key)
          connection.hello = record
          return true
        }
        const { hello } = connection
        if (hello === undefined) return note('extra-connection', unidentified)
        return (
          addRecord(connection, record) ||
          note('malformed', `${describeProcess(hello)} is not a test runner.`)
        )
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
      const runners = connections.flatMap(toObservedRunners)
      const looked = toLooks(connections, toPath)
      return {
        ...(runners.length === 0 ? {} : { tests: toObservedTests(connections, toPath) }),
        runners,
        problems: withoutDuplicates([...problems.values(), ...connections.flatMap(findProblems)]),
        replaced: [...new Set(connections.flatMap(({ replaced }) => replaced))].toSorted(),
        ...(looked.length === 0 ? {} : { looked }),
      }
    },
  }
}

const newConnection = (): Connection => ({
  hello: undefined,
  isRefused: false,
  runners: new Set(),
  tests: [],
  replaced: [],
  looked: [],
  exitCode: undefined,
})

function findProblems({
  hello,
  isRefused,
  runners,
  exitCode,
}: Connection): readonly ChannelProblem[] {
  const unfinished = exitCode === undefined ? [...runners] : []
  return [
    ...(hello === undefined && !isRefused
      ? [{ code: 'extra-connection', text: unidentified } as const]
      : []),
    ...unfinished.map(
      (name) => ({ code: 'no-end', text: `${name} did not report its end.` }) as const,
    ),
  ]
}

const tooMuch = 'The report exceeds the limit.'
const unidentified = 'A connection did not identify its process.'

/** False: only a runner may report tests. */
function addRecord(connection: Connection, record: Exclude<RunnerRecord, HelloRecord>): boolean {
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
    case 'looked':
      connection.looked.push({ by: record.by, at: record.at })
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

/** The program and its first arguments. */
const describeProcess = ({ pid, argv }: HelloRecord): string =>
  `${argv.slice(0, 3).join(' ')} (pid ${pid})`

const toObservedRunners = ({ runners, exitCode }: Connection): readonly ObservedRunner[] =>
  [...runners].map((name) => ({ name, ...defined({ exitCode }) }))

function withoutDuplicates(problems: readonly ChannelProblem[]): readonly ChannelProblem[] {
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()]
}

/** `(eval)` and `*` are not paths. */
function toLooks(
  connections: readonly Connection[],
  toPath: (file: string) => string,
): readonly FileLook[] {
  const toName = (name: string): string => (name.startsWith('/') ? toPath(name) : name)
  const looks = new Map<string, FileLook>()
  for (const one of connections.flatMap(({ looked }) => looked)) {
    const [by, at] = [toName(one.by), toName(one.at)]
    if (by !== '' && at !== '') looks.set(JSON.stringify([by, at]), { by, at })
  }
  return [...looks.values()]
}

/** Declared tests without a result count as skipped: something prevented them from running. */
function toObservedTests(
  connections: readonly Connection[],
  toPath: (file: string) => string,
): readonly ObservedTest[] {
  const toUniqueId = numberIds()
  // A JUnit report by a known runner lists its tests a second time.
  const known = connections.filter(
    ({ runners, tests }) => !runners.has('junit') && tests.length > 0,
  )
  return (known.length > 0 ? known : connections).flatMap(({ tests }) => {
    const results = tests.filter((record) => record.type === 'test')
    const done = new Set(results.map(keyOf))
    const without = tests.filter((record) => record.type === 'declared' && !done.has(keyOf(record)))
    return [...results, ...without].map((record): ObservedTest => {
      const file = toPath(record.file)
      const id = toUniqueId([file, ...record.titles].join(' > '))
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

/** Without color codes. */
const plain = (text: string): string => text.replaceAll(colorCode, '').trim()

// oxlint-disable-next-line no-control-regex
const colorCode = /\u001B\[[\d;]*[A-Za-z]/g

const keyOf = ({ file, titles }: TestRecord): string => JSON.stringify([file, ...titles])

/** Appends ` #2` to the second of the same name. */
export function numberIds(): (id: string) => string {
  const seen = new Map<string, number>()
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id} #${count}`
  }
}
