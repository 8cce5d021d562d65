/**
 * Verification theatre and its honest counterpart: the stories of `test/theatre`, all of them, told as
 * `npm test` tells a few.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast, atMost, type Suite } from '../bench/report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const theatre: Suite = {
  area: 'evidence',
  title: 'ways to fake success, and work that nobody objects to',
  share: 0.2,
  async run({ scale, note }) {
    const stories = await tellStories(scale)
    for (const { name, message } of stories.failures) note(`  ${name}: ${message}`)
    const told = (set: string): readonly Told[] => stories.told.filter((one) => one.set === set)
    const bad = (set: string): number => told(set).filter(({ isBad }) => isBad).length
    const [ways, works] = [told('theatre').length, told('honest').length]
    // Told for another reason than the story has, or not told to its end.
    const wrong = stories.failures.length
    return [
      atMost('evidence.theatre', bad('theatre'), 0, 'certified', `of ${ways} ways to fake success`),
      atMost(
        'evidence.honest',
        bad('honest'),
        0,
        'refused',
        `of ${works} honest changes, without a way forward`,
      ),
      atMost('evidence.theatre-otherwise', wrong, 0, 'stories', 'that ended otherwise than told'),
      atLeast('evidence.theatre-ways', ways, scale < 1 ? 5 : 60, 'ways'),
      atLeast('evidence.honest-works', works, scale < 1 ? 2 : 40, 'changes'),
    ]
  },
}

/** As `test/theatre/chosen.ts` writes them down. */
interface Told {
  readonly set: string
  readonly name: string
  readonly isBad: boolean
}

interface Failure {
  readonly name: string
  readonly message: string
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

async function tellStories(
  scale: number,
): Promise<{ readonly told: readonly Told[]; readonly failures: readonly Failure[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const toldFile = join(folder, 'told.jsonl')
  const reportFile = join(folder, 'report.json')
  try {
    const env = {
      ...process.env,
      LOOPWRIGHT_STORIES: scale < 1 ? '1' : 'all',
      LOOPWRIGHT_STORIES_SHARE: String(scale),
      LOOPWRIGHT_STORIES_REPORT: toldFile,
    }
    await runVitest(['test/theatre', '--reporter=json', `--outputFile=${reportFile}`], env)
    const lines = existsSync(toldFile) ? readFileSync(toldFile, 'utf8').trim().split('\n') : []
    const told = lines.map((line) => JSON.parse(line) as Told)
    return { told, failures: failuresOf(JSON.parse(readFileSync(reportFile, 'utf8')) as Report) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, 'run', ...args], {
      cwd: root,
      env,
      stdio: 'ignore',
    })
    child.on('error', reject)
    child.on('close', () => resolve())
  })
}

const failuresOf = ({ testResults }: Report): readonly Failure[] =>
  testResults.flatMap(({ message, assertionResults }): readonly Failure[] => {
    const failed = assertionResults.filter(({ status }) => status !== 'passed')
    if (failed.length === 0 && message !== '') return [{ name: 'test/theatre', message }]
    return failed.map(({ fullName, failureMessages = [] }) => ({
      name: fullName,
      message: failureMessages.join('\n').split('\n').slice(0, 3).join(' '),
    }))
  })
