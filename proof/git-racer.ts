/** Makes one worktree, at the same moment as many others do. Started by git-races.ts. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createWorktree, findRepository, openWorktree } from '#src/workspace/index.ts'

const [checkout = '', key = '', startAtMs = '0'] = process.argv.slice(2)
const repository = await findRepository(checkout, { ignoreFile: '/nonexistent/loopwright' })
await sleep(Math.max(0, Number(startAtMs) - Date.now()))
const { worktree } = await createWorktree({ repository, key, name: 'race' })
const workspace = await openWorktree({ repository, worktree })
await workspace.snapshot()
process.stdout.write(worktree.branch)
