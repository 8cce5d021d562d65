/**
 * What it costs to observe which files a command reads: watches on 5,000 folders before it, and the list of
 * 20,000 files that it read after it. The command itself is not measured.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox } from 'loopwright'
import { watchReads } from '#src/sandbox/index.ts'
import { atMost, median, type Suite } from './report.ts'

const rounds = 5
const folders = 5000
const filesEach = 4
const readAll = 'find . -type f -print0 | xargs -0 cat | wc -l'

export const readSets: Suite = {
  area: 'evidence',
  title: 'observing which of 20,000 files a command reads',
  async run({ scale }) {
    const top = mkdtempSync(join(tmpdir(), 'loopwright-bench-reads-'))
    try {
      const workspace = makeFiles(top)
      const folder = join(top, 'writes')
      mkdirSync(folder)
      const sandbox = await openSandbox()
      const commands = sandbox.commands({ workspace, workspaceOverlay: { folder } })
      const command = { program: 'sh', args: ['-c', readAll], cwd: workspace }
      const setUps: number[] = []
      const drains: number[] = []
      // The first one starts the process that watches.
      for (let round = -1; round < Math.max(1, Math.round(rounds * scale)); round++) {
        const startedAt = performance.now()
        const watch = await watchReads(workspace)
        const setUpMs = performance.now() - startedAt
        await commands.run(command, new AbortController().signal)
        const endedAt = performance.now()
        const read = await watch.stop()
        const drainMs = performance.now() - endedAt
        if (read?.length !== folders * filesEach) {
          throw new Error(`It saw ${read?.length ?? 'no'} reads. ${watch.problem ?? ''}`)
        }
        if (round < 0) continue
        setUps.push(setUpMs)
        drains.push(drainMs)
      }
      const total = median(setUps.map((setUp, index) => setUp + (drains[index] ?? 0)))
      const detail = `${median(setUps).toFixed(0)} ms to watch ${folders} folders, ${median(drains).toFixed(0)} ms to list ${folders * filesEach} files`
      return [atMost('evidence.read-sets-20000', total / 1000, 1, 's', detail)]
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  },
}

function makeFiles(top: string): string {
  const workspace = join(top, 'workspace')
  for (let at = 0; at < folders; at++) {
    const folder = join(workspace, `part-${at % 50}`, `folder-${at}`)
    mkdirSync(folder, { recursive: true })
    for (let file = 0; file < filesEach; file++) {
      writeFileSync(join(folder, `file-${file}.js`), `export const value = ${file}\n`)
    }
  }
  return workspace
}
