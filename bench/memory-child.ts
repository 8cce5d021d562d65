/** Does one big thing and prints the resident memory before, at its highest, and afterwards. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPlainCommands, type LoopType, openHost } from 'loopwright'
import { builtInTools, createTools } from 'loopwright/tools'
import { modelText, withFolder } from './workload.ts'

const what = process.argv[2]
const chunk = Buffer.from(modelText(1).repeat(1000))
const gigabyte = 1024 ** 3

async function* stream(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < gigabyte; sent += chunk.length) {
    // Each part differs, as real output does.
    chunk.writeUInt32LE(sent % 2 ** 32, 0)
    yield Buffer.from(chunk)
  }
}

const big: LoopType<null, null, { bytes: number }, number> = {
  name: 'big',
  createContext: () => null,
  async iterate(_context, it) {
    if (what === 'artifact') return (await it.artifact('output', stream())).bytes
    if (what === 'command') {
      const command = `head -c ${gigabyte} /dev/zero | tr '\\0' 'a'`
      const { ok, spilled } = await it.tool('run', { command })
      if (!ok || spilled === undefined) throw new Error('the command was not run as it should be')
      return spilled.bytes
    }
    const text = await it.step('result', () => modelText(3).repeat(50_000))
    return text.length
  },
  extractProgress: (bytes) => ({ bytes }),
  until: [{ type: 'max-iterations', iterations: 1 }],
}

const residentMb = (): number => Math.round(process.memoryUsage.rss() / 1e6)

await withFolder(async (folder) => {
  const host = await openHost({ folder })
  const startMb = residentMb()
  let peakMb = startMb
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb())
  }, 5)
  const tools = createTools({
    tools: builtInTools({ commands: createPlainCommands() }),
    spillFolder: join(folder, 'output'),
  })
  const workspace = join(folder, 'work')
  mkdirSync(workspace)
  const files = what === 'command' ? { workspace } : {}
  const run = await host.start(big, { input: null, tools, ...files })
  const end = await run.done
  if (end.type !== 'ended' || end.outcome.type === 'failed' || end.outcome.type === 'stuck') {
    throw new Error(`it ended otherwise: ${JSON.stringify(end)}`)
  }
  peakMb = Math.max(peakMb, residentMb())
  clearInterval(timer)
  globalThis.gc?.()
  const afterMb = residentMb()
  await host.close()
  process.stdout.write(`${JSON.stringify({ startMb, peakMb, afterMb })}\n`)
})
