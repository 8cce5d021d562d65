/**
 * Runs a command and reports the tests that it wrote as JUnit XML:
 * `node run-with-junit.cjs <report> <program> <arguments…>`
 */

const { spawnSync }: typeof import('node:child_process') = require('node:child_process')
const fs: typeof import('node:fs') = require('node:fs')
const path: typeof import('node:path') = require('node:path')
const { constants }: typeof import('node:os') = require('node:os')
const { send }: { send: (record: object) => void } = require('./channel.cjs')
const { filesIn }: { filesIn: (folder: string, ending: string) => readonly string[] } =
  require('./find-test-file.cjs')

interface Case {
  readonly attributes: Readonly<Record<string, string>>
  readonly suite: Readonly<Record<string, string>>
  status: string
  message?: string
}

const bytesMax = 64 * 1024 ** 2
const [report = '', program = '', ...args] = process.argv.slice(2)

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

function decode(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (all, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? all
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

function parseAttributes(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return Object.fromEntries(
    [...found].map(([, name = '', double, single]) => [name, decode(double ?? single ?? '')]),
  )
}

/** Reads elements one by one and ignores the text between them. */
function parseCases(xml: string): readonly Case[] {
  const cases: Case[] = []
  const suites: Readonly<Record<string, string>>[] = []
  let current: Case | undefined
  const plain = xml.replace(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->/g, '')
  for (const [, close, name, inner = ''] of plain.matchAll(
    /<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g,
  )) {
    const isClosed = inner.endsWith('/')
    if (name === 'testsuite' && close === '') {
      if (!isClosed) suites.push(parseAttributes(inner))
    } else if (name === 'testsuite') {
      suites.pop()
    } else if (name === 'testcase' && close === '') {
      const added = {
        attributes: parseAttributes(inner),
        suite: suites.at(-1) ?? {},
        status: 'passed',
      }
      cases.push(added)
      current = isClosed ? undefined : added
    } else if (name === 'testcase') {
      current = undefined
    } else if (current !== undefined && close === '') {
      if (name === 'skipped') current.status = 'skipped'
      if (name === 'failure' || name === 'error') {
        current.status = 'failed'
        current.message = (parseAttributes(inner)['message'] ?? '').slice(0, 2000)
      }
    }
  }
  return cases
}

let allFiles: readonly string[] | undefined

/** From the report, or the file named like the class. */
function findFile({ attributes, suite }: Case): string {
  const given = attributes['file'] ?? suite['file'] ?? suite['filepath']
  if (given !== undefined) return path.resolve(given)
  const name = (attributes['classname'] ?? '').split('$')[0]?.replaceAll('.', '/') ?? ''
  if (name === '') return ''
  allFiles ??= filesIn(process.cwd(), '').filter((file) => !/\/(?:\.git|node_modules)\//.test(file))
  const isNamed = (file: string): boolean => file.replace(/\.\w+$/, '').endsWith(`/${name}`)
  return allFiles.find(isNamed) ?? ''
}

function reportCases(startedAtMs: number): void {
  const found = fs.statSync(report, { throwIfNoEntry: false })
  // A report from before is not about this run.
  if (found === undefined || found.mtimeMs < startedAtMs - 1000 || found.size > bytesMax) return
  const cases = parseCases(fs.readFileSync(report, 'utf8'))
  send({ type: 'runner', name: 'junit' })
  for (const one of cases) {
    const { name = '', classname } = one.attributes
    const titles = classname === undefined || classname === '' ? [name] : [classname, name]
    const { status, message } = one
    send({ type: 'test', file: findFile(one), titles, status, message })
  }
}

const startedAtMs = Date.now()
const { status, signal } = spawnSync(program, args, { stdio: 'inherit' })
reportCases(startedAtMs)
process.exitCode = status ?? 128 + (signal === null ? 0 : constants.signals[signal])
