// node examples/tune/ticket-prompt/start.mjs: starts the scripted model, and the loop with its address.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startModel } from './model.mjs'

const { url, close } = await startModel()
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const loop = spawn(
  process.execPath,
  [path('../../../dist/cli/loopctl.js'), 'run', path('loop.yaml'), ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: { ...process.env, LOOP_USE_DAEMON: '0', OPENAI_BASE_URL: url, OPENAI_API_KEY: 'scripted' },
  },
)
loop.on('exit', (code) => {
  close()
  process.exitCode = code ?? 1
})
