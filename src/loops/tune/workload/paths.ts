/** Paths with `/`, inside one folder: none of them contains `..`. */

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const relativeTo = (folder: string, path: string): string =>
  folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path

/** Without `.` and empty parts. */
export const plainPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
