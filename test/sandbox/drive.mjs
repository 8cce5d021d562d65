// Runs one job in a sandbox and prints the result. A separate process, so that tests can start it as another
// user and kill it. `node drive.mjs <dist> <job>`; uses the built code.

const [, , dist, text] = process.argv
const { openSandbox, watchReads } = await import(`${dist}/sandbox/index.js`)
const job = JSON.parse(text)
const sandbox = await openSandbox(job.options)
const commands = job.commands ?? []
const run = (command) => sandbox.commands(job.place).run(command, new AbortController().signal)
const watch = job.watch === undefined ? undefined : await watchReads(job.watch)
const results = []
if (job.together) results.push(...(await Promise.all(commands.map(run))))
else for (const command of commands) results.push(await run(command))
const read = await watch?.stop()
const observes = job.observes === undefined ? undefined : await sandbox.observes(job.observes)
process.stdout.write(`${JSON.stringify({ report: sandbox.report, results, read, observes })}\n`)
