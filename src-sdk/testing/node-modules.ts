// Node's own modules, which this package must not import: its tests may run elsewhere.

type Process = { readonly getBuiltinModule?: (name: string) => object | undefined }

/** Undefined outside of Node, and in a Node older than 20.16. */
export const builtinModule = <Module extends object>(name: `node:${string}`): Module | undefined => {
  const { process } = globalThis as { readonly process?: Process }
  return process?.getBuiltinModule?.(name) as Module | undefined
}
