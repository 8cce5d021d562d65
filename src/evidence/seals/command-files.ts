/**
 * Which files a command line starts or loads, as far as its words say: the program after `node` or `sh`,
 * what stands behind `--import` or `--config`, a path that is a program itself. What a tool is told to look
 * at (`eslint src/a.js`) is not loaded but looked at.
 */

const commandCharsMax = 20_000

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const interpreters = words(`
  node nodejs tsx ts-node esno bun deno python python2 python3 pypy3 ruby perl php bash sh dash zsh ksh
  source . pwsh lua
`)
/** They start what follows them. */
const wrappers = words(`
  exec env cross-env cross-env-shell npx pnpx bunx nice time timeout command xvfb-run dotenv c8 nyc
  coverage run sudo stdbuf
`)
/** Their next word is loaded. */
const loaders = words(`
  --import --require -r --loader --experimental-loader --config -c --setup --setupFiles --preload
  --globalSetup --file --reporter --test-reporter --project -p --tsconfig --rcfile --env-file --watch-path
  -f --rootdir --confcutdir
`)

/** They only look at what they are told. */
const lookers = words(`
  test [ [[ grep egrep fgrep rg cat diff cmp ls wc head tail stat find sort uniq jq cut tr file du sha256sum
  md5sum echo printf true false sleep touch mkdir cd
`)

/** Of one command: its program and arguments. Paths as they are written there, without `./`. */
export function filesOfCommand(argv: readonly string[]): readonly string[] {
  const found: string[] = []
  let at = 0
  while (isPrelude(argv[at])) at += 1
  const program = argv[at]
  if (program === undefined) return []
  if (program.includes('/')) found.push(program)
  if (lookers.has(nameOf(program))) return found.map(plain)
  const isInterpreter = interpreters.has(nameOf(program))
  const rest = argv.slice(at + 1)
  // `sh -c "…"` holds a command line in a word.
  const inline = rest.findIndex((word) => /^-[a-z]*c$/.test(word))
  if (isShell(nameOf(program)) && inline >= 0) {
    found.push(...filesOfCommandLine(rest[inline + 1] ?? ''))
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

/** Of a line as a shell reads it, more or less: several commands, quotes, no variables. */
export function filesOfCommandLine(line: string): readonly string[] {
  const commands: string[][] = [[]]
  const tokens = line
    .slice(0, commandCharsMax)
    .matchAll(/&&|\|\||[;|&\n()]|(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s;|&()"'\\])+/g)
  for (const [token] of tokens) {
    if (/^(?:&&|\|\||[;|&\n()])$/.test(token)) commands.push([])
    else commands.at(-1)?.push(token.replaceAll(/["']|\\(?=.)/g, ''))
  }
  return [...new Set(commands.flatMap(filesOfCommand))]
}

/** Scripts of package.json that a line starts: `npm run a`, `npm test`, `run-s a b`, `pnpm a`. */
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
