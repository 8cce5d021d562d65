// Runs jobs in a sandbox. A separate process, so that tests can start it as another user and kill it; uses the
// built code. `node drive.mjs <dist> <job>` runs one job and prints the result. `node drive.mjs <dist>` runs each
// line of its input, in one sandbox for all of them, and prints a line for each.

import { createInterface } from 'node:readline'

const [, , dist, text] = process.argv
const { openSandbox, watchReads } = await import(`${dist}/sandbox/index.js`)

if (text !== undefined) {
  const job = JSON.parse(text)
  print(await run(job, await openSandbox(job.options)))
} else {
  const sandbox = await openSandbox()
  for await (const line of createInterface({ input: process.stdin })) {
    print(await run(JSON.parse(line), sandbox).catch((error) => ({ error: String(error.stack) })))
  }
}

async function run(job, sandbox) {
  const commands = job.commands ?? []
  const start = (command) => sandbox.commands(job.place).run(command, new AbortController().signal)
  const watch = job.watch === undefined ? undefined : await watchReads(job.watch)
  const results = []
  if (job.together) results.push(...(await Promise.all(commands.map(start))))
  else for (const command of commands) results.push(await start(command))
  const read = await watch?.stop()
  const observes = job.observes === undefined ? undefined : await sandbox.observes(job.observes)
  return { report: sandbox.report, results, read, observes }
}

function print(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
