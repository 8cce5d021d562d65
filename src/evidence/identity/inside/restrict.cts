/**
 * Restricts a runner to the wanted tests, by its own arguments. More may run; the engine sees from the report whether all
 * wanted tests did.
 */

const fs: typeof import('node:fs') = require('node:fs')
const path: typeof import('node:path') = require('node:path')

interface Wanted {
  /** Absolute paths. */
  readonly files: readonly string[]
  /** Suites first. Empty: all tests of these files. */
  readonly titles: readonly (readonly string[])[]
}

const namesMax = 200

function readWanted(): Wanted | undefined {
  try {
    return JSON.parse(fs.readFileSync(path.join(__dirname, 'only.json'), 'utf8')) as Wanted
  } catch {
    return undefined
  }
}

function restrict(runner: string): void {
  const wanted = readWanted()
  if (wanted === undefined) return
  const { files } = wanted
  switch (runner) {
    case 'node:test':
      // Everything after the program is a file. Without files, Node searches for them.
      if (process.execArgv.includes('--test')) process.argv.splice(1, Infinity, ...files)
      return
    case 'vitest':
      addFiles(files, ['run', 'watch', 'dev'])
      return addNames(wanted, '--testNamePattern', '-t')
    case 'jest':
      addFiles(files.map(escapePattern), [])
      return addNames(wanted, '--testNamePattern', '-t')
    case 'mocha':
      return addNames(wanted, '--grep', '-g', '-f', '--fgrep')
    case 'ava':
      return addFiles(files, [])
    case 'tap':
      return addFiles(files, ['run'])
  }
}

/** At the start, where no option takes a file for its value. */
function addFiles(files: readonly string[], commands: readonly string[]): void {
  const at = commands.includes(process.argv[2] ?? '') ? 3 : 2
  process.argv.splice(at, 0, ...files)
}

function addNames({ titles }: Wanted, flag: string, ...others: readonly string[]): void {
  const isOwn = (arg: string): boolean =>
    [flag, ...others].some((one) => arg === one || arg.startsWith(`${one}=`))
  if (titles.length === 0 || titles.length > namesMax || process.argv.some(isOwn)) return
  const names = titles.map((all) => escapePattern(all.join(' ')))
  process.argv.splice(2 + countCommands(), 0, `${flag}=^\\s*(?:${names.join('|')})$`)
}

/** A command such as `run` stays first. */
const countCommands = (): number =>
  process.argv[2] === undefined || process.argv[2].startsWith('-') ? 0 : 1

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

module.exports = { restrict }
