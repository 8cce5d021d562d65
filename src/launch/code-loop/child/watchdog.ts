/** Kills this process and its descendants when the parent has ended. */

import { Socket } from 'node:net'

const life = new Socket({ fd: 4 })
life.on('error', () => {}).on('close', () => process.kill(-process.pid, 'SIGKILL'))
life.resume()
