/** CPU per iteration beside other durable engines, on the same Node and the same synchronous setting. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atLeast, atMost, median, type Result, type Suite, type SuiteOptions } from './report.ts'
import { withFolder } from './workload.ts'

const exec = promisify(execFile)
const peersFolder = new URL('../../bench/peers/', import.meta.url)
const ours = fileURLToPath(new URL('./ours.js', import.meta.url))

interface Peer {
  readonly name: string
  readonly command: readonly string[]
  readonly supports: { readonly history: boolean }
  readonly sync: readonly string[]
  readonly maxIterations?: number
}

interface Line {
  readonly cpuMsPerIteration: number
  readonly serverCpuMsPerIteration?: number
  readonly sync?: string
}

const rounds = 5
const iterations = 1000
/** Slow peers are measured on fewer rounds of fewer iterations elsewhere; here all do the same. */
const roundTimeoutMs = 600_000

export const comparePeers: Suite = {
  area: 'engine',
  title: 'CPU per iteration beside durable peers, with message history',
  async run(options) {
    await exec(process.execPath, [fileURLToPath(new URL('install.mjs', peersFolder))], {
      timeout: 900_000,
      maxBuffer: 2 ** 26,
    }).catch((error: unknown) => options.note(`  some peers are missing: ${String(error)}`))
    const { stdout } = await exec(process.execPath, [
      fileURLToPath(new URL('list.mjs', peersFolder)),
    ])
    const results: Result[] = []
    for (const peer of JSON.parse(stdout) as readonly Peer[]) {
      results.push(...(await comparePeer(peer, options)))
    }
    return results
  },
}

async function comparePeer(peer: Peer, { scale, note }: SuiteOptions): Promise<readonly Result[]> {
  const sync = peer.sync.includes('FULL') ? 'full' : 'normal'
  const n = Math.min(peer.maxIterations ?? iterations, Math.max(50, Math.round(iterations * scale)))
  const [node = process.execPath] = peer.command
  const ratios: number[] = []
  let detail = ''
  for (let round = 0; round < rounds; round++) {
    const theirs = await measure([...peer.command], n, sync, note)
    const mine = await measure([node, ours], n, sync, note)
    if (theirs === undefined || mine === undefined) {
      return [atLeast(`engine.peer-${peer.name}-runs`, 0, 1, 'runs', 'it did not run here')]
    }
    const whole = theirs.cpuMsPerIteration + (theirs.serverCpuMsPerIteration ?? 0)
    ratios.push(whole / mine.cpuMsPerIteration)
    detail =
      `${mine.cpuMsPerIteration.toFixed(3)} against ${whole.toFixed(3)} ms CPU, ` +
      `${n} iterations, synchronous ${theirs.sync ?? sync}`
  }
  note(`  ${peer.name}: ${detail}`)
  const ratio = median(ratios)
  if (peer.name === 'langgraph')
    return [atLeast('engine.langgraph-history', ratio, 10, 'x less CPU', detail)]
  return [atMost(`engine.peer-${peer.name}`, 1 / ratio, 1, 'of its CPU', detail)]
}

async function measure(
  command: readonly string[],
  n: number,
  sync: string,
  note: (text: string) => void,
): Promise<Line | undefined> {
  const [program = '', ...args] = command
  return withFolder(async (dir) => {
    const all = [
      ...args,
      '--history',
      'true',
      '--iterations',
      String(n),
      '--sync',
      sync,
      '--dir',
      dir,
    ]
    try {
      const { stdout } = await exec(program, all, { timeout: roundTimeoutMs, maxBuffer: 2 ** 26 })
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Line
    } catch (error) {
      note(`  ${args[0]}: ${String(error).slice(0, 300)}`)
      return undefined
    }
  })
}
