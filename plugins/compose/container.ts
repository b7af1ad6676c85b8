/** Modules of the container, which is Inversify: as much of it as modules use. Users need not install it for its types. */
import { Container as Inversify, ContainerModule as InversifyModule } from 'inversify';
import { type Container, type ModuleOptions, RESOLVE } from './token.ts';

export type { ModuleOptions } from './token.ts';

/** A module, by the class that makes it. */
export interface ContainerModule {
  readonly id: number;
}

/** Binds parts of an instance: `new ContainerModule(({ rebind }) => { … })`. */
export const ContainerModule = InversifyModule as unknown as new (
  load: (options: ModuleOptions) => void,
) => ContainerModule;

/** Creates a container of these modules; later ones may rebind what earlier ones bound. */
export function createContainer(modules: readonly ContainerModule[]): Container {
  const container = new Inversify();
  (container as Container).bind(RESOLVE).toConstantValue((target) => container.getAsync(target));
  container.load(...(modules as readonly unknown[] as readonly InversifyModule[]));
  return container;
}
