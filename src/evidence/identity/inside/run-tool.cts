/**
 * `go test` or `cargo test` itself: `node run-tool.cjs go|cargo <program> <arguments…>`. Its output passes through
 * and tells which test files did not compile: their tests never start.
 */

const { spawn }: typeof import('node:child_process') = require('node:child_process')
const path: typeof import('node:path') = require('node:path')
const { send }: { send: (record: object) => void } = require('./channel.cjs')
const {
  filesIn,
}: { filesIn: (folder: string, ending: string, depth?: number) => readonly string[] } =
  require('./find-test-file.cjs')

const mark = 'LOOPWRIGHT_RUNNER'
const [kind = '', program = '', ...args] = process.argv.slice(2)

function withOptions(): readonly string[] {
  if (kind !== 'cargo' || args.includes('--no-fail-fast')) return args
  // Otherwise the tests after the first binary that fails do not run.
  const at = args.findIndex((arg) => arg === 'test' || arg === 't')
  return [...args.slice(0, at + 1), '--no-fail-fast', ...args.slice(at + 1)]
}

const unloaded = new Map<string, string>()

/** All test files of the package, since they are compiled together. */
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
const env = { ...process.env, [mark]: `${kind} test` }
const child = spawn(program, withOptions(), { stdio: ['inherit', 'pipe', 'pipe'], env })
child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk))
// Only the compiler and the linker write to it before a test starts; go prints their errors there as well.
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
