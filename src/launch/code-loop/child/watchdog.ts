/** Kills this process and what it started when the one that started it is gone. */

import { Socket } from 'node:net'

const life = new Socket({ fd: 4 })
life.on('error', () => {}).on('close', () => process.kill(-process.pid, 'SIGKILL'))
life.resume()
