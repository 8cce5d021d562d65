/**
 * Wraps `go test` or `cargo test` itself: `node run-tool.cjs go|cargo <program> <arguments…>`. Passes its output through
 * and finds out which test files did not compile, because their tests never start.
 */

const { spawn }: typeof import('node:child_process') = require('node:child_process')
const fs: typeof import('node:fs') = require('node:fs')
const path: typeof import('node:path') = require('node:path')
const { send }: { send: (record: object) => void } = require('./channel.cjs')
const {
  filesIn,
}: { filesIn: (folder: string, ending: string, depth?: number) => readonly string[] } =
  require('./find-test-file.cjs')

const runnerVariable = 'LOOPWRIGHT_RUNNER'
const [kind = '', program = '', ...args] = process.argv.slice(2)

function withOptions(): readonly string[] {
  if (kind !== 'cargo') return args
  const at = args.findIndex((arg) => arg === 'test' || arg === 't')
  // Otherwise the tests after the first failing binary do not run.
  const all = args.includes('--no-fail-fast') ? [] : ['--no-fail-fast']
  return [...args.slice(0, at + 1), ...all, ...wantedTargets(), ...args.slice(at + 1)]
}

const targetOptions =
  /^(?:--(?:lib|bins?|tests?|examples?|bench|benches|doc|all-targets|workspace|all|package|manifest-path)|-p.*)$|^--(?:bin|test|example|bench|package|manifest-path)=/

/** Builds only binaries with wanted tests. Empty: they cannot be determined, or the command selects them. */
function wantedTargets(): readonly string[] {
  if (args.some((arg) => targetOptions.test(arg))) return []
  const targets = readWantedFiles().map(toTarget)
  const known = targets.filter((target) => target !== undefined)
  return known.length < targets.length ? [] : [...new Set(known)]
}

function readWantedFiles(): readonly string[] {
  try {
    const text = fs.readFileSync(path.join(__dirname, 'only.json'), 'utf8')
    return (JSON.parse(text) as { readonly files: readonly string[] }).files
  } catch {
    return []
  }
}

/** The target in the package of this folder, by the conventions of cargo. */
function toTarget(file: string): string | undefined {
  const [folder, name = '', ...below] = path.relative(process.cwd(), file).split(path.sep)
  if (folder === 'tests' && below.length === 0) return `--test=${path.basename(name, '.rs')}`
  const isLibrary = fs.existsSync('src/lib.rs') && !fs.existsSync('src/main.rs')
  return folder === 'src' && isLibrary ? '--lib' : undefined
}

const unloaded = new Map<string, string>()

/** All test files of the package, because they are compiled together. */
function followGo(line: string): void {
  const [, file = '', message = ''] = /^(\S+\.go):\d+(?::\d+)?: (.*)/.exec(line) ?? []
  if (file === '') return
  const folder = path.resolve(path.dirname(file))
  for (const one of filesIn(folder, '_test.go', 1))
    if (!unloaded.has(one)) unloaded.set(one, message)
}

let lastError = ''

function followCargo(line: string): void {
  if (/^error(?:\[|:)/.test(line)) lastError = line
  if (line.startsWith('warning')) lastError = ''
  const file = /^\s*--> (\S+\.rs):\d+:\d+/.exec(line)?.[1]
  if (file !== undefined && lastError !== '') unloaded.set(path.resolve(file), lastError)
}

function follow(): (chunk: Buffer) => void {
  let rest = ''
  return (chunk) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = (lines.pop() ?? '').slice(-10_000)
    for (const line of lines) (kind === 'go' ? followGo : followCargo)(line)
  }
}

send({ type: 'runner', name: kind })
const env = { ...process.env, [runnerVariable]: `${kind} test` }
const child = spawn(program, withOptions(), { stdio: ['inherit', 'pipe', 'pipe'], env })
child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk))
// Before a test starts, only the compiler and the linker write to it; go prints their errors there as well.
child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk)).on('data', follow())
child.on('error', () => {
  process.exitCode = 127
})
child.on('close', (code) => {
  if (code !== 0)
    for (const [file, message] of unloaded)
      send({ type: 'test', file, titles: ['(file)'], status: 'failed', message })
  process.exitCode = code ?? 1
})
