/**
 * `npm start`: runs a loop file with the agent that needs no model, or with `--agent <name>`;
 * `npm start -- repair` and the other names run an example written against the library, and show what
 * happens. Stop it at any moment and start it again: the run resumes.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeEvent, type Host, isEnd, openHost, type RunHandle } from 'loopwright'
import { type Example, examples } from './index.ts'
import { loopFiles, startFile } from './start-file.ts'

const { values, positionals } = parseArgs({
  options: { agent: { type: 'string' } },
  allowPositionals: true,
})
const name = positionals[0] ?? 'mend-duration'
const chosen = Object.hasOwn(examples, name) ? examples[name] : undefined
const loopFile = loopFiles.find((one) => one === name)

if (loopFile !== undefined) {
  process.exitCode = await startFile(loopFile, values.agent)
} else if (chosen === undefined) {
  const names = [...loopFiles, ...Object.keys(examples)].join(', ')
  process.stderr.write(`There is no example "${name}". Choose one of: ${names}\n`)
  process.exitCode = 64
} else {
  process.exitCode = await main(chosen)
}

async function main(example: Example): Promise<number> {
  const host = await openHost()
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  try {
    const { run, afterSeq } = await startOrResume(host, example, stop.signal)
    const begun = afterSeq === 0 ? 'started' : `resumed after ${afterSeq} events`
    say(`run ${run.name}, loop ${example.loop.name}, ${begun} (nothing here calls a model)`)
    for await (const { event } of run.events({ afterSeq })) {
      const depth = event.type.startsWith('run-') ? 0 : event.type.startsWith('iteration-') ? 1 : 2
      say(`${'  '.repeat(depth)}${describeEvent(event)}`)
      if (event.type === 'step-started' && event.question !== undefined) {
        const answers = event.question.options?.map((option) => `'${option}'`).join(' or ')
        const question = event.step.replaceAll(/^ask:|#1$/g, '')
        say(`    From another terminal: npx loopctl answer ${run.name} ${question} ${answers}`)
      }
    }
    const end = await run.done
    say('', `The record is in ${host.folder}`, `  npx loopctl inspect ${run.name}`)
    if (end.type === 'suspended') say(`Go on with: npm start -- ${name}`)
    return end.type === 'ended' && end.outcome.type === 'completed' ? 0 : 1
  } finally {
    await host.close()
  }
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

interface Started {
  readonly run: RunHandle
  /** The last event that was journaled before this process started. */
  readonly afterSeq: number
}

async function startOrResume(host: Host, example: Example, signal: AbortSignal): Promise<Started> {
  const runs = await host.list()
  const open = runs.find((run) => run.loop === example.loop.name && !isEnd(run.status) && !run.held)
  if (open !== undefined) {
    const parts = { ...example.parts(open.workspace), signal }
    return { run: await host.resume(open.id, example.loop, parts), afterSeq: open.lastSeq }
  }
  const workspace =
    example.files === undefined ? undefined : makeWorkspace(host.folder, example.files)
  const run = await host.start(example.loop, {
    ...example.parts(workspace),
    input: example.interactiveInput ?? example.input,
    signal,
    // Starting an example again shows it again, although it has ended.
    again: true,
    ...(example.limits === undefined ? {} : { limits: example.limits }),
    ...(workspace === undefined ? {} : { workspace }),
  })
  return { run, afterSeq: 0 }
}

function makeWorkspace(folder: string, files: Readonly<Record<string, string>>): string {
  let number = 1
  while (existsSync(join(folder, 'examples', `${name}-${number}`))) number++
  const workspace = join(folder, 'examples', `${name}-${number}`)
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return workspace
}
