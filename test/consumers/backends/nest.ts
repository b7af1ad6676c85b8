/** The NestJS module that both of its platforms serve: Credence is a provider, its API and events are used in process. */
import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  Post,
  Req,
} from '@nestjs/common';
import { type Credence, createCredence, silentLogger } from 'credence';
import { configure, identify, keepLedger, launch, tellOfConnections, type WithUser } from './team.js';

let running = 0;

@Injectable()
export class CredenceService implements OnModuleInit, OnApplicationShutdown {
  readonly credence: Credence = createCredence(configure(), { identify, logger: silentLogger });
  readonly points = keepLedger(this.credence);

  async onModuleInit(): Promise<void> {
    await this.credence.start();
    running += 1;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.credence.stop();
    running -= 1;
    if (running === 0) await tellOfConnections();
  }
}

@Controller()
export class RewardsController {
  readonly service: CredenceService;

  constructor(service: CredenceService) {
    this.service = service;
  }

  @Post('launch')
  @HttpCode(200)
  launch(@Body() body: { targetUrl: string }): Promise<object> {
    return launch(this.service.credence, body.targetUrl);
  }

  @Get('points')
  points(@Req() request: WithUser): object {
    return { points: this.service.points.get(request.user?.name ?? '') ?? 0 };
  }
}

@Module({ controllers: [RewardsController], providers: [CredenceService] })
export class AppModule {}
