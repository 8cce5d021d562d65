export { createPlainCommands, type PlainCommandsOptions, type Spawn } from './plain-commands.ts'
export { killAbandoned, killAll, type Mark, markVariable, newMark } from './process-group.ts'
