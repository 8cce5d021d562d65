/**
 * A loopctl that keeps running: runs one command after another as `dist/cli/loopctl.js` would, in
 * the given environment and folder, and sends the output and the exit code. This saves the loading
 * time.
 */

const load = (name) => import(new URL(`../dist/cli/${name}.js`, import.meta.url).href)
const { main } = await load('main')

const streams = { stdout: process.stdout, stderr: process.stderr }

process.on('message', ({ args, env, cwd }) => void command(args, env, cwd))
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })

async function command(args, env, cwd) {
  process.chdir(cwd)
  const said = { stdout: '', stderr: '' }
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv.splice(2, Infinity, ...args)
  process.exitCode = undefined
  for (const [name, stream] of Object.entries(streams)) {
    stream.write = (chunk, ...more) => {
      said[name] += String(chunk)
      const done = more.find((one) => typeof one === 'function')
      if (done !== undefined) queueMicrotask(done)
      return true
    }
  }
  // Shells call this, and `dist/cli/loopctl.js` does not leave it to the program either.
  if (args[0] === 'complete' && args[1] === '--')
    await (await load('complete')).complete(args.slice(2))
  else await main()
  const code = process.exitCode ?? 0
  process.removeAllListeners('uncaughtException')
  for (const stream of Object.values(streams)) stream.removeAllListeners('error')
  process.send({ code, ...said })
}
