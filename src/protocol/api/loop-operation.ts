/** Where an operation of a loop type is asked for: known to the daemon, to clients and to the type itself. */

export interface LoopOperationName {
  /** A verb in lower case. */
  readonly name: string
  /** `get`: it changes nothing, and has no body. */
  readonly method: 'get' | 'post'
  readonly about: 'run' | 'nothing'
}

/** `run` is encoded already, or `{run}`. */
export const operationPath = (
  type: string,
  { name, about }: LoopOperationName,
  run: string = '{run}',
): string =>
  about === 'run' ? `/loop-types/${type}/runs/${run}/${name}` : `/loop-types/${type}/${name}`
