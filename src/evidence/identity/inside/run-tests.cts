/**
 * Runs the tests of one binary of `go test` or `cargo test`, each in a process that the code under test cannot
 * outlive, and reports them. Those start it in front of each binary they built:
 * `node run-tests.cjs go|cargo <binary> <arguments…>`
 */

const { spawnSync }: typeof import('node:child_process') = require('node:child_process')
const path: typeof import('node:path') = require('node:path')
const fs: typeof import('node:fs') = require('node:fs')
const { send }: { send: (record: object) => void } = require('./channel.cjs')
const { findGoFile, findRustFile }: FindTestFile = require('./find-test-file.cjs')

interface FindTestFile {
  findGoFile(folder: string, name: string): string
  findRustFile(folder: string, binary: string, test: string): string
}

const mark = 'LOOPWRIGHT_RUNNER'
const outputMax = 64 * 1024 ** 2

interface Ran {
  readonly code: number
  readonly text: string
}

interface Wanted {
  readonly files: readonly string[]
  readonly titles: readonly (readonly string[])[]
}

/** How the binaries of a language are asked. */
interface Language {
  isTestBinary(binary: string, args: readonly string[]): boolean
  /** Undefined: it does not say. */
  list(): readonly string[] | undefined
  skipped(): ReadonlySet<string>
  argsFor(name: string): readonly string[]
  titles(name: string): readonly string[]
  fileOf(name: string): string
  isSkip(name: string, text: string): boolean
  /** Something else was asked for besides results: all of it runs once more as it is. */
  readonly isMore: boolean
}

const [kind = '', binary = '', ...args] = process.argv.slice(2)

function run(more: readonly string[], isShown: boolean): Ran {
  const env = { ...process.env, [mark]: kind }
  if (isShown) {
    const { status } = spawnSync(binary, more, { stdio: 'inherit', env })
    return { code: status ?? 1, text: '' }
  }
  const options = { env, encoding: 'utf8', maxBuffer: outputMax } as const
  const { status, stdout, stderr } = spawnSync(binary, more, options)
  return { code: status ?? 1, text: `${stdout ?? ''}${stderr ?? ''}` }
}

function goTests(): Language {
  const own = args.find((arg) => arg.startsWith('-test.run='))?.slice('-test.run='.length)
  const others = args.filter((arg) => !/^-test\.(?:run|v)\b/.test(arg))
  return {
    isTestBinary: (file) => file.endsWith('.test'),
    list() {
      const { code, text } = run(['-test.list', own?.split('/')[0] ?? '.'], false)
      const names = text.split('\n').filter((line) => /^(?:Test|Example|Fuzz)\w*$/.test(line))
      return code === 0 ? names : undefined
    },
    skipped: () => new Set(),
    argsFor: (name) => [...others, '-test.v=true', `-test.run=^${name}$`],
    titles: (name) => [name],
    fileOf: (name) => findGoFile(process.cwd(), name),
    isSkip: (name, text) => text.includes(`--- SKIP: ${name} `),
    isMore: args.some((arg) => /^-test\.(?:coverprofile|bench|fuzz)=/.test(arg)),
  }
}

function cargoTests(): Language {
  const listed = (more: readonly string[]): readonly string[] | undefined => {
    const { code, text } = run([...args, '--list', '--format', 'terse', ...more], false)
    const names = text.split('\n').flatMap((line) => /^(.+): test$/.exec(line)?.[1] ?? [])
    return code === 0 && (names.length > 0 || text.trim() === '') ? names : undefined
  }
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--exact')
  const takesIgnored = args.includes('--ignored') || args.includes('--include-ignored')
  return {
    isTestBinary: (file, given) =>
      /\/deps\/[^/]+-[0-9a-f]{16}$/.test(file) && !given.includes('--list'),
    list: () => listed([]),
    skipped: () => new Set(takesIgnored ? [] : (listed(['--ignored']) ?? [])),
    argsFor: (name) => [...flags, '--exact', name],
    titles: (name) => name.split('::'),
    fileOf: (name) => findRustFile(process.cwd(), path.basename(binary), name),
    isSkip: () => false,
    isMore: args.includes('--bench'),
  }
}

/** What the test printed, without what its harness says of each. */
function messageOf(text: string): string {
  const at = text.indexOf('\n---- ')
  const lines = text.slice(Math.max(0, at)).split('\n')
  return lines
    .filter((line) => !/^(?:=== |---- |FAIL$)/.test(line))
    .join('\n')
    .trim()
    .slice(0, 1500)
}

function readWanted(): Wanted | undefined {
  try {
    return JSON.parse(fs.readFileSync(path.join(__dirname, 'only.json'), 'utf8')) as Wanted
  } catch {
    return undefined
  }
}

function isWanted(wanted: Wanted | undefined, file: string, titles: readonly string[]): boolean {
  if (wanted === undefined) return true
  const key = titles.join('\n')
  const isNamed = wanted.titles.length === 0 || wanted.titles.some((one) => one.join('\n') === key)
  return wanted.files.includes(file) && isNamed
}

function runEach(language: Language, names: readonly string[]): number {
  send({ type: 'runner', name: kind })
  const wanted = readWanted()
  const tests = names
    .map((name) => ({ name, file: language.fileOf(name), titles: language.titles(name) }))
    .filter(({ file, titles }) => isWanted(wanted, file, titles))
  for (const { file, titles } of tests) send({ type: 'declared', file, titles })
  const skipped = language.skipped()
  let worst = 0
  for (const { name, file, titles } of tests) {
    const { code, text } = skipped.has(name)
      ? { code: 0, text: '' }
      : run(language.argsFor(name), false)
    const isSkipped = code === 0 && (skipped.has(name) || language.isSkip(name, text))
    const status = code !== 0 ? 'failed' : isSkipped ? 'skipped' : 'passed'
    const message = code === 0 ? undefined : messageOf(text)
    send({ type: 'test', file, titles, status, ...(message === undefined ? {} : { message }) })
    process.stdout.write(`--- ${status.toUpperCase().slice(0, 4)}: ${name}\n`)
    if (code !== 0) process.stdout.write(text)
    worst = worst === 0 ? code : worst
  }
  const whole = language.isMore ? run(args, true).code : 0
  return worst === 0 ? whole : worst
}

function main(): number {
  const language = kind === 'go' ? goTests() : cargoTests()
  // What a test starts is part of that test.
  const isInner = process.env[mark] !== undefined && process.env[mark] !== `${kind} test`
  const isOne = args.includes('--exact')
  if (isInner || isOne || !language.isTestBinary(binary, args)) return run(args, true).code
  const names = language.list()
  return names === undefined ? run(args, true).code : runEach(language, names)
}

process.exitCode = main()
