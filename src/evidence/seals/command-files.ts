/**
 * Finds the files that a command line runs or loads, judging by its words: the program after `node` or `sh`, the value of
 * `--import` or `--config`, a path that is a program itself. Files that a tool only inspects (`eslint src/a.js`) are not
 * loaded.
 */

const commandCharsMax = 20_000

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const interpreters = words(`
  node nodejs tsx ts-node esno bun deno python python2 python3 pypy3 ruby perl php bash sh dash zsh ksh
  source . pwsh lua
`)
/** They run what follows. */
const wrappers = words(`
  exec env cross-env cross-env-shell npx pnpx bunx nice time timeout command xvfb-run dotenv c8 nyc
  coverage run sudo stdbuf
`)
/** Options whose value is loaded. */
const loaders = words(`
  --import --require -r --loader --experimental-loader --config -c --setup --setupFiles --preload
  --globalSetup --file --reporter --test-reporter --project -p --tsconfig --rcfile --env-file --watch-path
  -f --rootdir --confcutdir
`)

/** They only inspect their arguments. */
const inspectors = words(`
  test [ [[ grep egrep fgrep rg cat diff cmp ls wc head tail stat find sort uniq jq cut tr file du sha256sum
  md5sum echo printf true false sleep touch mkdir cd
`)

/** For one command: its program and arguments. Paths as written, without `./`. */
export function findCommandFiles(argv: readonly string[]): readonly string[] {
  const found: string[] = []
  let at = 0
  while (isPrelude(argv[at])) at += 1
  const program = argv[at]
  if (program === undefined) return []
  if (program.includes('/')) found.push(program)
  if (inspectors.has(nameOf(program))) return found.map(plain)
  const isInterpreter = interpreters.has(nameOf(program))
  const rest = argv.slice(at + 1)
  // `sh -c "…"` contains a command line in one word.
  const inline = rest.findIndex((word) => /^-[a-z]*c$/.test(word))
  if (isShell(nameOf(program)) && inline >= 0) {
    found.push(...findCommandLineFiles(rest[inline + 1] ?? ''))
    return [...new Set(found.map(plain))]
  }
  let started = !isInterpreter
  const isTesting = rest.includes('--test')
  for (const [index, word] of rest.entries()) {
    const [flag, value] = splitOnce(word, '=')
    if (word.startsWith('-')) {
      if (value !== undefined && loaders.has(flag)) found.push(value)
      continue
    }
    const previous = rest[index - 1] ?? ''
    if (loaders.has(previous)) found.push(word)
    else if (!started || isTesting) {
      found.push(word)
      started = true
    }
  }
  return [...new Set(found.map(plain))]
}

/** For a line, approximately as a shell reads it: several commands, quotes, no variables. */
export function findCommandLineFiles(line: string): readonly string[] {
  const commands: string[][] = [[]]
  const tokens = line
    .slice(0, commandCharsMax)
    .matchAll(/&&|\|\||[;|&\n()]|(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s;|&()"'\\])+/g)
  for (const [token] of tokens) {
    if (/^(?:&&|\|\||[;|&\n()])$/.test(token)) commands.push([])
    else commands.at(-1)?.push(token.replaceAll(/["']|\\(?=.)/g, ''))
  }
  return [...new Set(commands.flatMap(findCommandFiles))]
}

/** Scripts of package.json that a line runs: `npm run a`, `npm test`, `run-s a b`, `pnpm a`. */
export function scriptsOfCommandLine(line: string, known: ReadonlySet<string>): readonly string[] {
  const found = line.slice(0, commandCharsMax).match(/[\w:.@/*-]+/g) ?? []
  return found.filter((word) => known.has(word))
}

const isPrelude = (word: string | undefined): boolean =>
  word !== undefined && (wrappers.has(word) || /^[A-Za-z_]\w*=/.test(word))

const isShell = (name: string): boolean => /^(?:ba|da|z|k)?sh$/.test(name)
const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1)
const plain = (path: string): string => path.replace(/^(?:\.\/+)+/, '')

function splitOnce(word: string, mark: string): readonly [string, string | undefined] {
  const at = word.indexOf(mark)
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}
