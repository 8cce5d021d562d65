/**
 * loopctl that stays: does one command after the other, each as `dist/cli/loopctl.js` would, with the
 * environment it is given, and tells what was printed and the exit code. What it saves is the loading.
 */

const { main } = await import(new URL('../dist/cli/main.js', import.meta.url).href)

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
  await main()
  const code = process.exitCode ?? 0
  process.removeAllListeners('uncaughtException')
  for (const stream of Object.values(streams)) stream.removeAllListeners('error')
  process.send({ code, ...said })
}
