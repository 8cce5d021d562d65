export { createPlainCommands, type PlainCommandsOptions, type Spawn } from './plain-commands.ts'
export { killAbandoned } from './process-group.ts'
