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
import { config, identify, keepLedger, launch, type WithUser } from './team.js';

@Injectable()
export class CredenceService implements OnModuleInit, OnApplicationShutdown {
  readonly credence: Credence = createCredence(config, { identify, logger: silentLogger });
  readonly points = keepLedger(this.credence);

  async onModuleInit(): Promise<void> {
    await this.credence.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.credence.stop();
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
