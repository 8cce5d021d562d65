/**
 * S13. Names that break programs, sent wherever the API takes a name: nothing is run, and git is given
 * none of them but behind the end of its options. What git was given is what a git in front of it wrote down.
 */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { atLeast, atMost, type Suite } from '../bench/report.ts'
import { loopText, makeRepository, untilEnded } from './api-scene.ts'
import { hostileNames } from './hostile-names.ts'
import { type Asked, type LiveDaemon, startLiveDaemon, trustedLoop } from './live-daemon.ts'

const namesWanted = 200

export const apiNames: Suite = {
  area: 'daemon',
  title: 'S13: hostile names through the API reach git only behind the end of its options',
  share: 0.05,
  async run({ scale, note }) {
    const { names, requests, calls, problems } = await sendNames({ scale })
    for (const problem of problems) note(`  ${problem}`)
    const detail = `${names} names, ${requests} requests, ${calls} calls of git and gh`
    return [
      atMost('daemon.names-injected', problems.length, 0, 'problems', detail),
      atLeast('daemon.names-sent', names, Math.min(names, namesWanted * scale), 'names', detail),
      atLeast('daemon.names-git-calls', calls, names, 'calls', detail),
    ]
  },
}

export interface NamesReport {
  readonly names: number
  readonly requests: number
  readonly calls: number
  readonly problems: readonly string[]
}

export interface NamesOptions {
  readonly scale: number
  /** A git that is called so: to show that the proof would notice. */
  readonly sabotage?: (argv: readonly string[]) => readonly string[]
}

/** How many of the requests below give git something. */
const seenByGit = 5

/** Found again wherever it ends up, and as hostile with it as without. */
const mark = 'q7x'

export async function sendNames({ scale, sabotage }: NamesOptions): Promise<NamesReport> {
  const daemon = await startLiveDaemon({ programs: writingGit })
  try {
    const file = await prepare(daemon)
    const step = Math.max(1, Math.round(1 / scale))
    const names = hostileNames.filter((_, index) => index % step === 0)
    const problems: string[] = []
    let requests = 0
    for (const plain of names) {
      for (const name of [plain, `${plain}${mark}`]) {
        const all = requestsWith(name, file, daemon.folder)
        // As it is, where git gets to see it; marked, wherever it can be said.
        for (const asked of name === plain ? all.slice(0, seenByGit) : all) {
          requests++
          const answer = await daemon.ask({ ...asked, timeoutMs: 30_000 }).catch(String)
          const isBad = typeof answer === 'string' || answer.status === 500
          if (isBad)
            problems.push(
              `${JSON.stringify(asked).slice(0, 300)}: ${JSON.stringify(answer).slice(0, 300)}`,
            )
        }
      }
    }
    const calls = callsIn(daemon.folder)
    problems.push(...calls.map((argv) => sabotage?.(argv) ?? argv).flatMap(injectedIn))
    problems.push(...canariesIn(daemon.folder))
    return { names: names.length, requests, calls: calls.length, problems: problems.slice(0, 50) }
  } finally {
    await daemon.end()
  }
}

/**
 * All programs of the system, but for git and gh: those write their arguments into a file of their own, then
 * are what they were. The system's folder itself would come before any other.
 */
function writingGit(folder: string): string {
  const [bin, calls] = [join(folder, 'bin'), join(folder, 'calls')]
  for (const path of [bin, calls]) mkdirSync(path)
  for (const name of readdirSync('/usr/bin')) {
    if (name !== 'git' && name !== 'gh') symlinkSync(join('/usr/bin', name), join(bin, name))
  }
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const write = `f=$(mktemp ${calls}/XXXXXXXXXX) && printf '%s\\0' "$0" "$@" > "$f"`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${write}\nexec ${git} "$@"\n`)
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${write}\necho https://example.com/pull/1\n`)
  for (const name of ['git', 'gh']) chmodSync(join(bin, name), 0o755)
  return bin
}

/** A run that completed in a worktree of a repository that can be pushed from. */
async function prepare(daemon: LiveDaemon): Promise<string> {
  const { folder, json } = daemon
  const shop = makeRepository(join(folder, 'shop'))
  const origin = join(folder, 'origin.git')
  execFileSync('git', ['init', '-q', '--bare', origin])
  execFileSync('git', ['-C', shop, 'remote', 'add', 'origin', origin])
  const text = loopText('echo line >> lines.txt', 'test -s lines.txt')
  const { file, trust } = await trustedLoop(daemon, 'good', text)
  const body = { file, trust, workspace: shop, attended: true, name: 'otter-done' }
  await json('POST', '/runs', { ...body, worktree: { use: true } })
  await untilEnded(daemon, 'otter-done')
  return file
}

function requestsWith(name: string, file: string, folder: string): readonly Asked[] {
  const shop = join(folder, 'shop')
  const done = '/runs/otter-done'
  const text = encodeURIComponent(Buffer.from(name, 'utf8').toString('utf8'))
  const post = (path: string, body: object): Asked => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
  })
  return [
    post('/loops/plan', { file, workspace: shop, worktree: { use: true, base: name } }),
    // Refused for what it is to start from, once its name was let through.
    post('/runs', { file, workspace: shop, name, worktree: { use: true, base: 'none' } }),
    post(`${done}/merge`, { into: name }),
    post(`${done}/create-pr`, { remote: name, base: name, title: name, body: name }),
    { method: 'GET', path: `/worktrees?workspace=${encodeURIComponent(shop)}%2F${text}` },
    post('/runs', { file, workspace: shop, worktree: { use: true, base: name }, attended: true }),
    post('/loops/plan', { file, workspace: join(folder, name) }),
    post('/loops/preview', { file: join(folder, `${name}.yaml`) }),
    post(`${done}/create-pr`, { base: name, title: name }),
    post(`${done}/fork`, { iteration: 99, name }),
    post(`${done}/questions/${text}/answer`, { answer: name }),
    { method: 'GET', path: `/runs/${text}/diff` },
    { method: 'GET', path: `${done}/artifacts/${text}` },
    { method: 'DELETE', path: `/worktrees?path=${text}&force=true` },
    { method: 'DELETE', path: `/runs/${text}` },
  ]
}

const callsIn = (folder: string): readonly (readonly string[])[] =>
  readdirSync(join(folder, 'calls')).map((name) =>
    readFileSync(join(folder, 'calls', name), 'utf8')
      .split('\0')
      .slice(0, -1),
  )

/** What came from outside and could be taken for an option. `gh` takes the word after an option as it is. */
function injectedIn(argv: readonly string[]): readonly string[] {
  const isGh = argv[0]?.endsWith('/gh') === true
  const end = argv.findIndex((word) => word === '--end-of-options' || word === '--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const isValue = (at: number): boolean => isGh && options[at - 1]?.startsWith('--') === true
  const isOwn = (word: string): boolean => isGh && /^--(title|body|base|head|repo)=/.test(word)
  return options
    .filter((word, at) => word.includes(mark) && !isValue(at) && !isOwn(word))
    .map((word) => `${JSON.stringify(word)} is an option of ${JSON.stringify(argv)}`.slice(0, 500))
}

/** What the names say is to be made. */
const canariesIn = (folder: string): readonly string[] =>
  [folder, join(folder, 'shop'), join(folder, 'state'), process.cwd()]
    .flatMap((path) => ['x', 'pwned', `x${mark}`].map((name) => join(path, name)))
    .filter((path) => existsSync(path))
    .map((path) => `${path} was made`)
