/**
 * Runs each test of a `go test` or `cargo test` binary in a separate process, which the code under test cannot outlive, and
 * reports them. The tools start it in front of each test binary:
 * `node run-tests.cjs go|cargo <binary> <arguments…>`
 */

const { spawnSync }: typeof import('node:child_process') = require('node:child_process')
const path: typeof import('node:path') = require('node:path')
const fs: typeof import('node:fs') = require('node:fs')
const { send }: { send: (record: object) => void } = require('./channel.cjs')
const { findGoFile, findRustFile, readSources }: FindTestFile = require('./find-test-file.cjs')

interface FindTestFile {
  findGoFile(folder: string, name: string): string
  findRustFile(folder: string, binary: string, test: string, compiled: readonly string[]): string
  readSources(binary: string): readonly string[]
}

const runnerVariable = 'LOOPWRIGHT_RUNNER'
const outputMax = 64 * 1024 ** 2

interface ProcessResult {
  readonly code: number
  readonly text: string
}

interface Wanted {
  readonly files: readonly string[]
  readonly titles: readonly (readonly string[])[]
}

/** How to use the test binaries of a language. */
interface Language {
  isTestBinary(binary: string, args: readonly string[]): boolean
  /** Undefined: it cannot list them. */
  list(): readonly string[] | undefined
  skipped(): ReadonlySet<string>
  argsFor(name: string): readonly string[]
  titles(name: string): readonly string[]
  findFile(name: string): string
  isSkip(name: string, text: string): boolean
  /** Something besides results was requested: everything is also run once as it is. */
  readonly needsWholeRun: boolean
}

const [kind = '', binary = '', ...args] = process.argv.slice(2)

function run(more: readonly string[], isShown: boolean): ProcessResult {
  const env = { ...process.env, [runnerVariable]: kind }
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
    findFile: (name) => findGoFile(process.cwd(), name),
    isSkip: (name, text) => text.includes(`--- SKIP: ${name} `),
    needsWholeRun: args.some((arg) => /^-test\.(?:coverprofile|bench|fuzz)=/.test(arg)),
  }
}

function cargoTests(): Language {
  const listTests = (more: readonly string[]): readonly string[] | undefined => {
    const { code, text } = run([...args, '--list', '--format', 'terse', ...more], false)
    const names = text.split('\n').flatMap((line) => /^(.+): test$/.exec(line)?.[1] ?? [])
    return code === 0 && (names.length > 0 || text.trim() === '') ? names : undefined
  }
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--exact')
  const takesIgnored = args.includes('--ignored') || args.includes('--include-ignored')
  return {
    isTestBinary: (file, given) =>
      /\/deps\/[^/]+-[0-9a-f]{16}$/.test(file) && !given.includes('--list'),
    list: () => listTests([]),
    skipped: () => new Set(takesIgnored ? [] : (listTests(['--ignored']) ?? [])),
    argsFor: (name) => [...flags, '--exact', name],
    titles: (name) => name.split('::'),
    findFile: (name) =>
      findRustFile(process.cwd(), path.basename(binary), name, readSources(binary)),
    isSkip: () => false,
    needsWholeRun: args.includes('--bench'),
  }
}

/** The output of the test, without the lines of its harness. */
function readMessage(text: string): string {
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
    .map((name) => ({ name, file: language.findFile(name), titles: language.titles(name) }))
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
    const message = code === 0 ? undefined : readMessage(text)
    send({ type: 'test', file, titles, status, ...(message === undefined ? {} : { message }) })
    process.stdout.write(`--- ${status.toUpperCase().slice(0, 4)}: ${name}\n`)
    if (code !== 0) process.stdout.write(text)
    worst = worst === 0 ? code : worst
  }
  const whole = language.needsWholeRun ? run(args, true).code : 0
  return worst === 0 ? whole : worst
}

function main(): number {
  const language = kind === 'go' ? goTests() : cargoTests()
  // Whatever a test starts is part of that test.
  const current = process.env[runnerVariable]
  const isInner = current !== undefined && current !== `${kind} test`
  const isOne = args.includes('--exact')
  if (isInner || isOne || !language.isTestBinary(binary, args)) return run(args, true).code
  const names = language.list()
  return names === undefined ? run(args, true).code : runEach(language, names)
}

process.exitCode = main()
